import { archive, frozenMarket, list, madeRow } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newestFinishedHourMs } from '../../src/domain/finished-hour.ts'
import { plansWith } from '../../src/domain/plan.ts'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import { Plans } from '../../src/stores/markets/postgres-plans.ts'

const HOUR_MS = newestFinishedHourMs(WORLD_NOW_MS)
const LENGTH_MS = 60_000

let service: TestService
let key: string

beforeAll(async () => {
  const settings = { CAPTURE_INTERVAL_MS_CRYPTO: '500', CAPTURE_INTERVAL_MS_SPORTS: '1000' }
  service = await TestService.start({ nowMs: () => WORLD_NOW_MS, settings })
  key = await service.keyOf('enterprise')
})

afterAll(() => service?.[Symbol.asyncDispose]())

async function read(path: string) {
  const { status, body, text } = await service.ask(path, { key })
  expect(status, text).toBe(200)
  return body
}

test('categories have the intervals of the settings', async () => {
  await new Plans(service.access.database).publish(plansWith(service.config))
  await service.stores.catalogue.refresh(WORLD_NOW_MS)
  const categories = await read('/v1/categories')
  const intervals = categories.map((each: Record<string, unknown>) => [each.category, each.captureIntervalMs])
  expect(intervals).toEqual([
    ['crypto', 500],
    ['sports', 1_000],
    ['equities', 1_000],
    ['economics', 2_000],
    ['social', 2_000],
    ['weather', 3_000],
  ])
})

test.each([100, 250, 500, 3_000])('a market with %i ms has its own slots for every reader', async (intervalMs) => {
  const times = { startsAtMs: HOUR_MS, endsAtMs: HOUR_MS + LENGTH_MS }
  const market = frozenMarket(`every ${intervalMs}`, { captureIntervalMs: intervalMs, ...times })
  await list(service, [market])
  const slots = Array.from({ length: LENGTH_MS / intervalMs }, (_, index) => HOUR_MS / intervalMs + index)
  await archive(
    service,
    slots.map((slot) => madeRow(market, { atMs: slot * intervalMs })),
  )
  const path = `/v1/markets/${market.id}`
  const range = `from=${instantOf(HOUR_MS)}&to=${instantOf(HOUR_MS + LENGTH_MS)}`

  const { snapshots } = await read(`${path}/snapshots?${range}&side=UP&limit=20`)
  for (const { sequence_number: slot, capture_timestamp: at } of snapshots)
    expect(Date.parse(at)).toBe(slot * intervalMs + 2)
  const coverage = { expected_slots: slots.length, missing_slots: 0 }
  expect(await read(`${path}/gaps?${range}`)).toMatchObject({
    capture_interval_ms: intervalMs,
    unaccounted_slots: 0,
    coverage,
  })
  expect((await read(`${path}/summary`)).coverage).toMatchObject(coverage)
  const { bars } = await read(`${path}/bars?interval=1m&${range}`)
  expect(bars.map((bar: { expected_count: number }) => bar.expected_count)).toEqual([slots.length])
  const report = await read(`${path}/export?hour=${instantOf(HOUR_MS)}&dry_run=true`)
  expect(report).toMatchObject({ rows: 2 * slots.length, coverage: { ...coverage, share: 1 }, gaps: [] })
})

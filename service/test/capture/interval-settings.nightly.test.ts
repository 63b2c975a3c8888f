// Nightly: a recorder follows simulated sockets in real time.
import { type Simulator, startSimulator } from '@bookreel/simulator/simulator'
import { Recorder } from '@bookreel/testbed/service/recorder'
import { archive, list, madeMarket, madeRow } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { venueSettings } from '@bookreel/testbed/venue-settings'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newestFinishedHourMs } from '../../src/domain/finished-hour.ts'
import { instantOf } from '../../src/endpoints/schemas/instant.ts'
import type { StoredMarket } from '../../src/stores/markets/postgres-market-rows.ts'

const PATIENCE = { timeout: 90_000, interval: 250 }
const SMALL = { hot: 4, medium: 4, cold: 6 }
/** The same markets and more of each category. */
const LARGE = { hot: 6, medium: 6, cold: 24 }

let service: TestService
let simulator: Simulator
let recorder: Recorder
let key: string
let restartedAtMs: number
const old = new Set<string>()

beforeAll(async () => {
  const settings = { CAPTURE_INTERVAL_MS_CRYPTO: '250', CAPTURE_INTERVAL_MS_SPORTS: '100' }
  service = await TestService.start({ record: { size: SMALL }, settings })
  for (const { id } of service.stores.catalogue.list({}, Date.now())) old.add(id)
  await service.stopRecording()
  simulator = await startSimulator({ ...service.worldOptions, size: LARGE, speed: 1, port: 0, faults: [] })
  restartedAtMs = Date.now()
  const changed = { CAPTURE_INTERVAL_MS_CRYPTO: 500, CAPTURE_INTERVAL_MS_SPORTS: 1_000 }
  const config = { ...service.config, ...venueSettings(simulator.addresses), ...changed }
  recorder = await Recorder.start(config, service.stores, {})
  key = await service.keyOf('enterprise')
}, 300_000)

afterAll(async () => {
  await recorder?.stop()
  await simulator?.stop()
  await service?.[Symbol.asyncDispose]()
})

/** A market with several rows since the restart. */
function recordedMarket(isWanted: (market: StoredMarket) => boolean): Promise<StoredMarket> {
  return vi.waitUntil(async () => {
    const { catalogue, marketDays } = service.stores
    for (const market of catalogue.list({}, Date.now()).filter(isWanted)) {
      const days = await marketDays.days(market.id)
      if (days.some(({ lastSlot, intervalMs }) => lastSlot * intervalMs > restartedAtMs + 4_000)) return market
    }
    return undefined
  }, PATIENCE)
}

async function read(path: string) {
  const { status, body } = await service.ask(path, { key })
  expect(status, path).toBe(200)
  return body
}

describe('after a restart with other capture intervals', () => {
  test('the categories show the new ones', async () => {
    const intervals = async () =>
      (await read('/v1/categories')).map((each: Record<string, unknown>) => [each.category, each.captureIntervalMs])
    await expect.poll(intervals, PATIENCE).toEqual([
      ['crypto', 500],
      ['sports', 1_000],
      ['equities', 1_000],
      ['economics', 2_000],
      ['social', 2_000],
      ['weather', 3_000],
    ])
  })

  test.each([
    ['a market that was recorded before keeps its 250 ms', 'crypto', true, 250],
    ['a market that was recorded before keeps its 100 ms', 'sports', true, 100],
    ['a new market has 500 ms', 'crypto', false, 500],
    ['a new market has 1000 ms', 'sports', false, 1_000],
  ])('%s (%s), for every reader', async (_, category, isOld, intervalMs) => {
    const market = await recordedMarket((each) => each.category === category && old.has(each.id) === isOld)
    const from = Math.ceil((restartedAtMs - 20_000) / 1_000) * 1_000
    const range = `from=${instantOf(from)}&to=${instantOf(Date.now())}`
    const path = `/v1/markets/${market.id}`

    const { snapshots } = await read(`${path}/snapshots?${range}&side=UP&limit=500`)
    expect(snapshots.length).toBeGreaterThan(1)
    for (const { sequence_number: slot, capture_timestamp: at } of snapshots) {
      expect(Math.abs(Date.parse(at) - slot * intervalMs)).toBeLessThan(5_000)
    }
    // Every slot has a row or is in a gap, also those of the restart.
    const accounted = async () => {
      const { capture_interval_ms, unaccounted_slots } = await read(`${path}/gaps?${range}`)
      return { capture_interval_ms, unaccounted_slots }
    }
    await expect.poll(accounted, PATIENCE).toEqual({ capture_interval_ms: intervalMs, unaccounted_slots: 0 })
    const { bars } = await read(`${path}/bars?interval=1s&${range}`)
    const counts = bars.map((bar: { expected_count: number }) => bar.expected_count)
    expect(Math.max(...counts)).toBe(1_000 / intervalMs)
    const { coverage, window } = await read(`${path}/summary`)
    const seconds = (Date.parse(window.to) - Date.parse(window.from)) / 1_000
    expect(Math.abs(coverage.expected_slots - (seconds * 1_000) / intervalMs)).toBeLessThanOrEqual(1)
  })
})

test.each([100, 3_000])('a market with %i ms is exported with all its slots', async (intervalMs) => {
  const hourMs = newestFinishedHourMs(Date.now())
  const times = { startsAtMs: hourMs, endsAtMs: hourMs + 60_000 }
  const market = madeMarket(`every ${intervalMs}`, { captureIntervalMs: intervalMs, ...times })
  await list(service, [market])
  const rows = Array.from({ length: 60_000 / intervalMs }, (_, slot) =>
    madeRow(market, { atMs: hourMs + slot * intervalMs }),
  )
  await archive(service, rows)
  const report = await read(`/v1/markets/${market.id}/export?hour=${instantOf(hourMs)}&dry_run=true`)
  const coverage = { expected_slots: rows.length, missing_slots: 0, share: 1 }
  expect(report).toMatchObject({ rows: 2 * rows.length, coverage, gaps: [] })
})

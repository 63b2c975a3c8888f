import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { meanUptime, PROBE_EVERY_MS, type ProbedService } from '../../src/domain/uptime.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { type ProbeResult, Uptime } from '../../src/stores/platform/uptime.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const SLOT = PROBE_EVERY_MS
/** Noon of a day. */
const NOW = Date.UTC(2026, 10, 15, 12)
const TODAY = Date.UTC(2026, 10, 15)

let stack: Stack
let database: Database
let uptime: Uptime

beforeAll(async () => {
  stack = await borrowStack({ engines: ['postgres'] })
  database = openDatabase({ url: stack.variable('DATABASE_URL'), answerWithinMs: 30_000 })
  await migratePostgres(database)
  uptime = new Uptime(database)
})

afterAll(async () => {
  await database?.destroy()
  await stack?.stop()
})

beforeEach(async () => {
  await sql`TRUNCATE probes, uptime_days, incidents, probed_services`.execute(database)
})

/** A probe for each slot of the span, by default `ok`; undefined leaves the slot out. */
function probes(
  service: ProbedService,
  fromMs: number,
  toMs: number,
  stateAt: (slot: number) => ProbeResult['state'] | undefined = () => 'ok',
): ProbeResult[] {
  return Array.from({ length: (toMs - fromMs) / SLOT }, (_, slot) => {
    const state = stateAt(slot)
    return state === undefined ? [] : [{ service, atMs: fromMs + slot * SLOT + 1_234, state }]
  }).flat()
}

const dayOf = async (service: string, daysAgo: number) => (await uptime.days(NOW)).get(service)?.at(-1 - daysAgo)

test('a service that was never probed has no data', async () => {
  expect(await uptime.days(NOW)).toEqual(new Map())
  await uptime.rollUp(NOW)
  expect(await uptime.days(NOW)).toEqual(new Map())
})

test('today counts from the first probe to a slot ago, and each period of missing or failed probes is an incident', async () => {
  const stateAt = (slot: number) => {
    if (slot >= 10 && slot < 20) return undefined
    if (slot >= 30 && slot < 33) return 'down' as const
    return slot === 50 ? ('degraded' as const) : ('ok' as const)
  }
  await uptime.record(probes('api', NOW - 100 * SLOT, NOW, stateAt))
  expect(await dayOf('api', 0)).toEqual({ date: '2026-11-15', state: 'measured', uptime: 86.868, incidents: 2 })
  expect(await dayOf('api', 1)).toEqual({ date: '2026-11-14', state: 'no_data', uptime: null, incidents: 0 })
})

test('summarising days changes no figure, however often it is done, and outlives the probes', async () => {
  const firstMs = TODAY - 12 * DAY + 18 * HOUR
  await uptime.record(probes('cache', firstMs, TODAY - 11 * DAY, (slot) => (slot < 216 ? 'down' : 'ok')))
  await uptime.record(probes('cache', TODAY - 3 * DAY, TODAY - 3 * DAY + HOUR))
  const before = (await uptime.days(NOW)).get('cache')
  expect(before?.at(-13)).toEqual({ date: '2026-11-03', state: 'measured', uptime: 90, incidents: 1 })
  expect(before?.at(-12)).toMatchObject({ uptime: 0, incidents: 1 })
  expect(before?.at(-4)).toMatchObject({ uptime: 4.166, incidents: 1 })
  await Promise.all([uptime.rollUp(NOW), uptime.rollUp(NOW)])
  await uptime.rollUp(NOW)
  expect((await uptime.days(NOW)).get('cache')).toEqual(before)
  const { rows } = await sql<{ left: number }>`SELECT count(*)::int AS left FROM probes`.execute(database)
  expect(rows[0]?.left).toBe(HOUR / SLOT)
  expect(meanUptime(before ?? [])).toBeCloseTo((90 + 4.166) / 13, 2)
})

test('a day of perfect health is 100, a day that missed one probe is less', async () => {
  await uptime.record(probes('accounts', TODAY - 2 * DAY, TODAY - DAY))
  await uptime.record(probes('accounts', TODAY - DAY, TODAY, (slot) => (slot === 700 ? undefined : 'ok')))
  expect(await dayOf('accounts', 2)).toMatchObject({ uptime: 100, incidents: 0 })
  expect(await dayOf('accounts', 1)).toMatchObject({ uptime: 99.988, incidents: 1 })
})

test('of two probers in the same slot the better result counts, in either order', async () => {
  const atMs = TODAY - DAY
  for (const [first, second] of [
    ['down', 'ok'],
    ['ok', 'down'],
  ] as const) {
    await sql`TRUNCATE probes, uptime_days, incidents, probed_services`.execute(database)
    await uptime.record([{ service: 'api', atMs, state: first }])
    await uptime.record([{ service: 'api', atMs: atMs + 3_000, state: second }])
    expect(await dayOf('api', 1)).toMatchObject({ uptime: 0.011 })
  }
})

test('days more than ninety days ago are left out', async () => {
  await uptime.record([{ service: 'api', atMs: TODAY - 200 * DAY, state: 'ok' }])
  const days = (await uptime.days(NOW)).get('api')
  expect(days).toHaveLength(90)
  expect(days?.[0]).toMatchObject({ state: 'measured', uptime: 0, incidents: 1 })
})

import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import type { ClickHouseClient } from '@clickhouse/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Gap } from '../../src/domain/rows/gap.ts'
import type { Snapshot } from '../../src/domain/rows/snapshot.ts'
import { NO_TRANSACTION, type Trade } from '../../src/domain/rows/trade.ts'
import { correctHour } from '../../src/stores/books/correct-hour.ts'
import { Corrections } from '../../src/stores/books/corrections.ts'
import { gapStore } from '../../src/stores/books/gaps.ts'
import { marketDayStore } from '../../src/stores/books/market-days.ts'
import { compareHour, type HourRows } from '../../src/stores/books/replace-hour.ts'
import { snapshotStore } from '../../src/stores/books/snapshots.ts'
import { migrateClickHouse } from '../../src/stores/engines/clickhouse-migrations.ts'
import { type Database, openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { migratePostgres } from '../../src/stores/engines/postgres-migrations.ts'
import { openClickHouse, valuesOf } from './open-clickhouse.ts'

const MARKET = `0x${'ab'.repeat(32)}`
const HOUR = Date.parse('2026-11-14T12:00:00Z')
const INTERVAL_MS = 1_000
const FIRST = HOUR / INTERVAL_MS

let stack: Stack
let client: ClickHouseClient
let database: Database
let corrections: Corrections

beforeAll(async () => {
  stack = await borrowStack({ engines: ['clickhouse', 'postgres'] })
  client = openClickHouse(stack)
  database = openDatabase({ url: stack.variable('DATABASE_URL') })
  await migrateClickHouse({ clients: [client], form: { kind: 'single' } })
  await migratePostgres(database)
  corrections = new Corrections(database)
})
afterAll(async () => {
  await Promise.all([client.close(), database.destroy()])
  await stack.stop()
})
beforeEach(async () => {
  for (const table of ['snapshots', 'gaps', 'trades', 'market_days'])
    await client.command({ query: `TRUNCATE TABLE ${table}` })
  await database.deleteFrom('corrections').execute()
})

const snapshot = (slot: number, changes = 0): Snapshot => ({
  marketId: MARKET,
  slot,
  intervalMs: INTERVAL_MS,
  capturedAtMs: slot * INTERVAL_MS + 1,
  eventAtMs: slot * INTERVAL_MS - 5,
  receivedAtMs: slot * INTERVAL_MS - 2,
  flags: 3,
  spotPrice: 0,
  spotAgeMs: 0,
  changes,
  up: { bids: [{ price: 4_000, size: 7 }], asks: [] },
  down: { bids: [], asks: [{ price: 6_000, size: 7 }] },
})
const gap = (fromSlot: number, toSlot: number): Gap => ({
  marketId: MARKET,
  fromSlot,
  toSlot,
  knownAtSlot: toSlot,
  cause: 'hash_mismatch',
  kind: 'missing',
  intervalMs: INTERVAL_MS,
  detail: '',
})
const trade = (second: number): Trade => ({
  marketId: MARKET,
  outcome: 0,
  side: 'BUY',
  price: 5_000,
  size: 100,
  tradedAtMs: HOUR + second * 1_000,
  receivedAtMs: HOUR + second * 1_000 + 30,
  transactionHash: NO_TRANSACTION,
  occurrence: 0,
})
const slots = (from: number, to: number, changes?: number) =>
  Array.from({ length: to - from }, (_, index) => snapshot(FIRST + from + index, changes))
const hour = (rows: Partial<HourRows>): HourRows => ({
  marketId: MARKET,
  hourMs: HOUR,
  snapshots: [],
  gaps: [],
  trades: [],
  ...rows,
})
const servers = () => ({ clients: [client], form: { kind: 'single' } as const })
const correct = (rows: HourRows) => correctHour(servers(), corrections, rows, 'a test')

async function stored() {
  const range = { fromMs: HOUR, toMs: HOUR + 3_600_000 }
  const market = { marketId: MARKET, intervalMs: INTERVAL_MS }
  return {
    snapshots: await snapshotStore(client).range({ ...market, ...range }, { order: 'asc', limit: 5_000 }),
    gaps: await gapStore(client).range({ ...market, ...range }),
    trades: await valuesOf(client, 'SELECT toUnixTimestamp64Milli(traded_at) FROM trades FINAL ORDER BY traded_at'),
  }
}

test('an hour becomes exactly the given rows: changed, added and removed ones, in all three tables', async () => {
  const before = hour({
    snapshots: slots(0, 100),
    gaps: [gap(FIRST + 100, FIRST + 200), gap(FIRST + 300, FIRST + 310)],
    trades: [trade(1), trade(2)],
  })
  expect(await correct(before)).toMatchObject({ revision: 2, changes: { snapshots: 100, gaps: 2, trades: 2 } })
  // The hour before and after stay as they are.
  const around = [snapshot(FIRST - 1), snapshot(FIRST + 3_600)]
  await correct({ ...hour({ snapshots: around.slice(0, 1) }), hourMs: HOUR - 3_600_000 })
  await correct({ ...hour({ snapshots: around.slice(1) }), hourMs: HOUR + 3_600_000 })

  const after = hour({
    snapshots: [...slots(0, 40), ...slots(40, 50, 9), ...slots(60, 150)],
    // Shorter than before, which the table itself would not accept, and one gap less.
    gaps: [gap(FIRST + 150, FIRST + 200), gap(FIRST + 100, FIRST + 120)],
    trades: [trade(2), trade(3)],
  })
  const result = await correct(after)
  expect(result).toEqual({ revision: 3, changes: { snapshots: 60, gaps: 2, trades: 1 } })
  const { snapshots, gaps, trades } = await stored()
  expect(snapshots).toEqual(after.snapshots)
  expect(gaps.map(({ fromSlot, toSlot }) => [fromSlot - FIRST, toSlot - FIRST])).toEqual([
    [100, 120],
    [150, 200],
  ])
  expect(trades.map(Number)).toEqual([HOUR + 2_000, HOUR + 3_000])
  const [count] = await valuesOf(client, 'SELECT count() FROM snapshots')
  expect(Number(count)).toBe(after.snapshots.length + 2)
  const [day] = await marketDayStore(client).days(MARKET)
  expect(day).toMatchObject({ rowCount: after.snapshots.length + 2, firstSlot: FIRST - 1, lastSlot: FIRST + 3_600 })
  // A merge must not bring anything back.
  for (const table of ['snapshots', 'gaps', 'trades']) await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` })
  expect((await stored()).snapshots).toEqual(after.snapshots)

  expect(await correct(after)).toBeUndefined()
  expect(await corrections.revisionOf(after)).toMatchObject({ revision: 3, isBeingCorrected: false })
})

test('stored rows of a time that is not known whole stay, and so does a gap that reaches beyond the range', async () => {
  await correct(
    hour({
      snapshots: slots(0, 30),
      gaps: [gap(FIRST + 30, FIRST + 31), gap(FIRST + 40, FIRST + 45), gap(FIRST + 50, FIRST + 70)],
      trades: [trade(1), trade(12), trade(25)],
    }),
  )
  const kept = {
    snapshots: [{ fromMs: HOUR + 10_000, toMs: HOUR + 20_000 }],
    others: [
      { fromMs: HOUR + 10_000, toMs: HOUR + 20_000 },
      { fromMs: HOUR + 45_000, toMs: HOUR + 48_000 },
    ],
    rangeEndMs: HOUR + 60_000,
  }
  const result = await correct(hour({ snapshots: [...slots(0, 5), ...slots(12, 13, 9)], kept }))
  expect(result?.changes).toMatchObject({ gaps: 1, trades: 2 })
  const { snapshots, gaps, trades } = await stored()
  expect(snapshots.map(({ slot }) => slot - FIRST)).toEqual([0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  expect(gaps.map(({ fromSlot }) => fromSlot - FIRST)).toEqual([40, 50])
  expect(trades.map(Number)).toEqual([HOUR + 12_000])
})

test('another time of receipt of a trade that came twice is no change', async () => {
  await correct(hour({ trades: [trade(1)] }))
  const twice = [trade(1), { ...trade(1), receivedAtMs: HOUR + 1_500 }]
  expect(await correct(hour({ trades: twice }))).toBeUndefined()
})

test('two processes do not correct hours at the same time', async () => {
  const other = new Corrections(database)
  const inside = await corrections.alone(() => other.alone(async () => 'both'))
  expect(inside).toEqual({ result: undefined })
  expect(await other.alone(async () => 'one')).toEqual({ result: 'one' })
})

test('a correction that died before, between or after its writes is finished under the same revision', async () => {
  await correct(hour({ snapshots: slots(0, 20), gaps: [gap(FIRST + 20, FIRST + 30)] }))
  const after = hour({ snapshots: slots(10, 30, 5) })
  const { changes } = await compareHour(servers(), after)
  expect(await corrections.begin(after, 'a test', changes)).toBe(3)
  expect(await corrections.revisionOf(after)).toMatchObject({ revision: 2, isBeingCorrected: true })
  await client.command({ query: `DELETE FROM snapshots WHERE slot < ${FIRST + 15}` })
  expect(await correct(after)).toMatchObject({ revision: 3 })
  expect(await stored()).toMatchObject({ snapshots: after.snapshots, gaps: [] })

  await corrections.begin(after, 'a test', changes)
  expect(await correct(after)).toMatchObject({ revision: 4, changes: { snapshots: 0, gaps: 0, trades: 0 } })
  expect(await corrections.revisionOf(after)).toMatchObject({ revision: 4, isBeingCorrected: false })
})

test('corrections are listed newest first, by market and time, page by page', async () => {
  for (const index of [0, 1, 2, 3])
    await correct({ ...hour({ snapshots: [snapshot(FIRST + 3_600 * index)] }), hourMs: HOUR + 3_600_000 * index })
  const first = await corrections.list({ limit: 3 })
  expect(first.map(({ hourMs }) => (hourMs - HOUR) / 3_600_000)).toEqual([3, 2, 1])
  const last = first.at(-1)
  const rest = await corrections.list({ limit: 3, before: last })
  expect(rest).toMatchObject([{ hourMs: HOUR, revision: 2, reason: 'a test', changes: { snapshots: 1 } }])
  expect(await corrections.list({ limit: 3, marketId: `0x${'0'.repeat(64)}` })).toEqual([])
  expect(await corrections.list({ limit: 3, toMs: HOUR })).toEqual([])
})

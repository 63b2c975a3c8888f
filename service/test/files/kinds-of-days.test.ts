import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { BOOK_KINDS, DAY_MS, dayAvailableAtMs, fileIdOf } from '../../src/domain/day-file.ts'
import { PERP_INTERVAL_MS } from '../../src/domain/plan.ts'
import { writeGap } from '../../src/domain/rows/gap.ts'
import { perpMarketId, writePerpSnapshot } from '../../src/domain/rows/perp-snapshot.ts'
import { Files } from '../../src/stores/files/files.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { makeDueFiles } from '../../src/workers/files.ts'
import { DAY, FilesScene } from './files-scene.ts'
import { bookOf, gapOf, other, storeDay } from './recorded-day.ts'

const never = new AbortController().signal
let scene: FilesScene
let files: Files

beforeAll(async () => {
  scene = await FilesScene.open()
  files = new Files(scene.service.access.database)
  await storeDay(scene)
}, 360_000)
beforeEach(() => {
  scene.made.length = 0
  scene.postponed.length = 0
})
afterAll(() => scene?.[Symbol.asyncDispose]())

async function entries() {
  return (await files.list({ isNewestOnly: false, limit: 200 })).filter(({ dayMs }) => dayMs === DAY)
}

async function keepTrades(days: number): Promise<void> {
  const client = openClickHouse(scene.service.config)
  await client.insert({ table: 'retention', values: [{ table_name: 'trades', days }], format: 'JSONEachRow' })
  await client.close()
}

test('perps and prices of a day wait for a later row, and gaps for everything else', async () => {
  const early = dayAvailableAtMs(DAY + DAY_MS) + 1
  // Nothing tells yet whether more of the day after is to come.
  await makeDueFiles(scene.deps({ nowMs: () => early }), never)
  const next = scene.made.filter(({ dayMs }) => dayMs === DAY + DAY_MS)
  expect(next).toEqual([])
  expect(scene.postponed.toSorted()).toEqual([
    'binance-btc-prices not_stored_yet',
    'chainlink-btc-prices not_stored_yet',
    'hyperliquid-btc-perp-books not_stored_yet',
    'hyperliquid-btc-perp-trades not_stored_yet',
    'hyperliquid-eth-perp-books not_stored_yet',
  ])
})

test('days that an earlier version finished get the other kinds as far as rows are kept; its files stay as they are', async () => {
  await using upgraded = await FilesScene.open()
  await storeDay(upgraded)
  const { database } = upgraded.service.access
  const { days, ...deps } = upgraded.deps()
  const isBook = ({ kind }: { readonly kind: string }): boolean => BOOK_KINDS.some((each) => each === kind)
  const former = {
    ...days,
    daysBefore: async () => [DAY],
    subjectsOf: async (dayMs: number) => {
      const { subjects } = await days.subjectsOf(dayMs)
      return { subjects: subjects.filter(isBook), unlisted: [] }
    },
  }
  const finishDay = async (dayMs: number): Promise<void> => {
    await sql`INSERT INTO file_days (day_at) VALUES (${new Date(dayMs)}) ON CONFLICT DO NOTHING`.execute(database)
  }
  const own = new Files(database)
  const formerFiles = Object.assign(Object.create(own), { finishDay })
  for (const method of ['add', 'correctionsOf', 'newestOf', 'contentsOf', 'finishedDays', 'outdated'] as const)
    formerFiles[method] = own[method].bind(own)
  await makeDueFiles({ ...deps, days: former, files: formerFiles }, never)
  const before = await own.list({ isNewestOnly: false, limit: 100 })
  expect(before.map(({ id }) => id).toSorted()).toEqual(
    [fileIdOf(other.id, DAY, 1), fileIdOf('polymarket-btc-5m', DAY, 1)].toSorted(),
  )

  const client = openClickHouse(upgraded.service.config)
  await client.insert({ table: 'retention', values: [{ table_name: 'perp_trades', days: 2 }], format: 'JSONEachRow' })
  await client.close()
  await makeDueFiles(upgraded.deps(), never)
  const after = (await own.list({ isNewestOnly: false, limit: 100 })).filter(({ dayMs }) => dayMs === DAY)
  expect(after.filter(isBook)).toEqual(before)
  expect(new Set(after.map(({ kind }) => kind))).toEqual(
    new Set(['series', 'market', 'trades', 'perp_books', 'perp_contexts', 'prices', 'gaps']),
  )
  expect(after.every(({ revision }) => revision === 1)).toBe(true)
  expect((await own.finishedDays()).has(DAY)).toBe(true)
}, 360_000)

test('a day on which nothing was recorded has a file of gaps, also when the outage becomes known days later', async () => {
  await makeDueFiles(scene.deps(), never)
  const count = (await entries()).length
  const perp = perpMarketId('hyperliquid', 'BTC')
  const slotsOfDay = DAY_MS / PERP_INTERVAL_MS
  const end = (DAY + DAY_MS) / PERP_INTERVAL_MS
  const laterMs = DAY + 6 * DAY_MS
  // The recorder was away for three days and says so when it comes back.
  await scene.insert('perp_snapshots', writePerpSnapshot, [bookOf('BTC', end + 3 * slotsOfDay)])
  await scene.insert('gaps', writeGap, [
    gapOf(perp, [end + 1, end + 3 * slotsOfDay - 1], { cause: 'capturer_down', knownAtSlot: end + 4 * slotsOfDay }),
  ])
  scene.made.length = 0
  await makeDueFiles(scene.deps({ nowMs: () => laterMs }), never)
  const gaps = scene.made.filter(({ subject }) => subject === 'hyperliquid-gaps')
  expect(gaps.map(({ dayMs, rows, revision }) => [(dayMs - DAY) / DAY_MS, rows, revision])).toEqual([
    [2, 1, 1],
    [3, 1, 1],
    [1, 1, 2],
  ])
  expect(gaps.find(({ dayMs }) => dayMs === DAY + 2 * DAY_MS)).toMatchObject({
    firstAtMs: DAY + 2 * DAY_MS,
    lastAtMs: DAY + 3 * DAY_MS - PERP_INTERVAL_MS,
    gaps: [{ cause: 'capturer_down', kind: 'missing', gaps: 1, slots: slotsOfDay }],
  })
  expect((await entries()).length).toBe(count)
}, 360_000)

test('rows that are no longer kept make no file', async () => {
  await keepTrades(1)
  const { subjects } = await scene.deps().days.subjectsOf(DAY)
  expect(subjects.filter(({ kind }) => kind === 'trades')).toEqual([])
  expect(subjects.some(({ kind }) => kind === 'series')).toBe(true)
  await keepTrades(0)
  expect((await scene.deps().days.subjectsOf(DAY)).subjects.some(({ kind }) => kind === 'trades')).toBe(true)
})

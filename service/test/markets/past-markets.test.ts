import { archive, madeMarket, madeRow, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import type { ClickHouseClient } from '@clickhouse/client'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LineChoice, RecordedLines } from '../../src/endpoints/shared/recorded-lines.ts'
import { noteRetention } from '../../src/stores/engines/clickhouse-retention.ts'
import { pastMarketWrites } from '../../src/stores/markets/past-market-writes.ts'
import { RecentMarkets } from '../../src/stores/markets/recent-markets.ts'
import { openClickHouse } from '../../src/wiring/engines.ts'
import { keepPastMarkets } from '../../src/workers/keep-past-markets.ts'

const DAY_MS = 86_400_000
const FIRST_DAY_MS = Date.UTC(2024, 1, 28)
const NAMES = ['one', 'two', 'three', 'four', 'five', 'six']
const KINDS = [
  { subcategory: 'BTC', timeframe: '5m' },
  { subcategory: 'ETH', timeframe: '1h', question: 'Ether Up or Down? C++ $TRUMP' },
  { category: 'sports', subcategory: 'NBA', timeframe: 'game', venue: 'kalshi' },
] as const

let service: TestService
let client: ClickHouseClient
let nowMs = FIRST_DAY_MS

beforeAll(async () => {
  service = await TestService.start({ nowMs: () => nowMs })
  client = openClickHouse(service.config)
})
afterAll(async () => {
  await client?.close()
  await service?.[Symbol.asyncDispose]()
})
beforeEach(forgetAll)

async function forgetAll() {
  for (const table of ['market_days', 'market_facts', 'past_markets', 'past_state', 'changed_markets', 'retention'])
    await client.command({ query: `TRUNCATE TABLE ${table}` })
}

/** Endings are of no interest here: markets are past when they are no longer recorded. */
const marketOf = (name: string, kind = 0) =>
  madeMarket(name, { captureIntervalMs: 3_600_000, endsAtMs: FIRST_DAY_MS, ...KINDS[kind] })
const record = (name: string, day: number, hours: readonly number[]) =>
  archive(
    service,
    hours.map((hour) => madeRow(marketOf(name), { atMs: FIRST_DAY_MS + day * DAY_MS + hour * 3_600_000 })),
  )
const keep = () =>
  keepPastMarkets(
    {
      table: pastMarketWrites(client),
      now: () => nowMs,
      failed: (error) => {
        throw error
      },
      changesAfterMs: 0,
    },
    new AbortController().signal,
  )

const CHOICES: readonly LineChoice[] = [
  { filter: {} },
  { filter: { venue: 'polymarket' } },
  { filter: { category: 'crypto' }, isComplete: true },
  { filter: { coin: 'ETH' }, words: ['ethe', 'up', 'c++', '$trump'] },
  { filter: {}, words: ['wo'] },
  { filter: { categories: ['sports', 'weather'] } },
  { filter: { subcategory: 'BTC', timeframe: '1h' } },
  { filter: {}, status: 'closed', sinceMs: FIRST_DAY_MS + 2.5 * DAY_MS },
  { filter: {}, status: 'live' },
]

/** All lists, read in pages of that size. */
async function listsOf(recentMarkets: RecentMarkets, size: number) {
  await service.stores.catalogue.refresh(nowMs)
  const lines = await RecordedLines.read({ catalogue: service.stores.catalogue, recentMarkets }, nowMs, 0)
  return Promise.all(
    CHOICES.map(async (choice) => ({
      totals: await lines.totals(choice),
      lines: (await Array.fromAsync(lines.pieces(choice, undefined, size))).flat(),
    })),
  )
}

/** As if nothing had ever been listed as past. */
async function countedAnew() {
  const { stream } = await client.exec({ query: 'CREATE TABLE IF NOT EXISTS kept AS past_state' })
  stream.resume()
  await client.command({ query: 'EXCHANGE TABLES kept AND past_state' })
  try {
    return await listsOf(new RecentMarkets(client), 100)
  } finally {
    await client.command({ query: 'EXCHANGE TABLES kept AND past_state' })
  }
}

const day = fc.integer({ min: 0, max: 9 })
const names = fc.subarray(NAMES, { minLength: 1, maxLength: 3 })
const work = fc.oneof(
  fc.record({
    kind: fc.constant('record' as const),
    names,
    day,
    hours: fc.subarray([0, 1, 2, 3, 23], { minLength: 1 }),
  }),
  fc.record({ kind: fc.constant('list' as const), names, of: fc.nat(KINDS.length - 1) }),
  fc.record({ kind: fc.constant('keep' as const), day }),
)

test('lists are the same whether their markets are counted or kept, also after late rows, new listings and pauses', async () => {
  const run = fc.asyncProperty(
    fc.array(work, { minLength: 5, maxLength: 14 }),
    fc.constantFrom(1, 2, 100),
    async (steps, size) => {
      await forgetAll()
      nowMs = FIRST_DAY_MS
      const recentMarkets = new RecentMarkets(client)
      for (const step of steps) {
        if (step.kind === 'record') for (const name of step.names) await record(name, step.day, step.hours)
        else if (step.kind === 'list')
          await storeFacts(
            service,
            step.names.map((name) => marketOf(name, step.of)),
          )
        else {
          nowMs = Math.max(nowMs, FIRST_DAY_MS + step.day * DAY_MS)
          await keep()
          // Keeps what it knows from now on.
          await listsOf(recentMarkets, size)
        }
      }
      nowMs += 1
      await keep()
      const wanted = await countedAnew()
      expect(await listsOf(recentMarkets, size)).toEqual(wanted)
      expect(await listsOf(new RecentMarkets(client), size)).toEqual(wanted)
    },
  )
  await fc.assert(run, { numRuns: 12, endOnFailure: true })
})

test('a market is kept when it was not recorded for a day and an hour, and is counted again when it is recorded', async () => {
  await record('one', 0, [1, 2])
  await record('two', 1, [1])
  nowMs = FIRST_DAY_MS + 2 * DAY_MS + 3_599_999
  expect(await keep()).toBe(0)
  nowMs += 1
  expect(await keep()).toBe(1)
  expect(await keep()).toBe(0)
  const list = await new RecentMarkets(client).list({ nowMs, maxAgeMs: 0, open: () => [] })
  expect(list.markets.map(({ marketId }) => marketId)).toEqual([marketOf('two').id])
  expect(list.past).toMatchObject({ toMs: FIRST_DAY_MS + DAY_MS, counts: [{ markets: 1, rows: 2 }] })
  await record('one', 2, [0])
  // Rows of today are not late.
  await client.command({ query: 'TRUNCATE TABLE changed_markets' })
  expect(await keep()).toBe(1)
  expect(await new RecentMarkets(client).past.read()).toMatchObject({ counts: [] })
})

test('past markets lose the rows that are no longer kept, and leave the list with their last row', async () => {
  // ClickHouse decides with its own clock, so the days are far from the edge.
  const today = await client.query({ query: 'SELECT toUInt32(today())', format: 'JSONCompactEachRow' })
  nowMs = Number((await today.json<[number]>())[0]?.[0]) * DAY_MS
  const onDay = (ago: number) => Math.round((nowMs - FIRST_DAY_MS) / DAY_MS) - ago
  await record('one', onDay(40), [1])
  await record('one', onDay(20), [1, 2])
  await record('two', onDay(40), [1])
  expect(await keep()).toBe(2)
  await noteRetention(client, { RETENTION_DAYS_SNAPSHOTS: 30 })
  await keep()
  expect(await listsOf(new RecentMarkets(client), 10)).toEqual(await countedAnew())
  const past = await new RecentMarkets(client).past.read()
  expect(past?.counts).toMatchObject([{ markets: 1, rows: 2 }])
})

test('an open market that is not recorded is live and counted once', async () => {
  const open = madeMarket('open', { captureIntervalMs: 3_600_000, endsAtMs: FIRST_DAY_MS + 20 * DAY_MS })
  await archive(service, [madeRow(open, { atMs: FIRST_DAY_MS })])
  await storeFacts(service, [open])
  nowMs = FIRST_DAY_MS + 10 * DAY_MS
  await service.stores.markets.saveListings([{ market: open, seenAtMs: nowMs }])
  await keep()
  const [all, , , , , , , closed, live] = await listsOf(new RecentMarkets(client), 10)
  expect(all).toMatchObject({ totals: { markets: 1, live: 1 }, lines: [{ marketId: open.id, isLive: true }] })
  expect(closed).toMatchObject({ totals: { markets: 0, live: 0 }, lines: [] })
  expect(live).toMatchObject({ totals: { markets: 1, live: 1 }, lines: [{ isLive: true }] })
})

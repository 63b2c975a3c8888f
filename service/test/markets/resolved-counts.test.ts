import { marketOf, NOW_MS } from '@bookreel/testbed/service/market-facts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteExpiredRows } from '../../src/stores/platform/expired-rows.ts'
import { type OpenMarkets, openMarkets } from './open-markets.ts'

const DAY_MS = 86_400_000
const NAMES = ['one', 'two', 'three', 'four', 'five']
const SERIES = [
  { subcategory: 'BTC', timeframe: '5m' },
  { subcategory: 'ETH', timeframe: '5m' },
  { category: 'sports', subcategory: 'NBA', timeframe: 'game' },
] as const

let open: OpenMarkets
beforeAll(async () => {
  open = await openMarkets()
})
afterAll(() => open[Symbol.asyncDispose]())

const listing = (name: string, series: number, day: number) => ({
  market: marketOf(name, { ...SERIES[series], endsAtMs: NOW_MS + day * DAY_MS }),
  seenAtMs: NOW_MS + day * DAY_MS,
})
const resolution = (name: string, day: number) => ({
  marketId: marketOf(name).id,
  winner: 0 as const,
  resolvedAtMs: NOW_MS + day * DAY_MS,
})

const names = fc.subarray(NAMES, { minLength: 1 })
const day = fc.integer({ min: 0, max: 9 })
/** What the role `catalogue` does, in any order. */
const work = fc.oneof(
  fc.record({ kind: fc.constant('list' as const), names, series: fc.nat(SERIES.length - 1), day }),
  fc.record({ kind: fc.constant('resolve' as const), names, day }),
  fc.record({ kind: fc.constant('expire' as const), day }),
)

const COUNTED = sql<{ series: string; markets: string }>`
  SELECT concat_ws('/', venue, category, subcategory, timeframe) AS series, count(*) AS markets
  FROM markets JOIN resolutions ON market_id = id GROUP BY 1 ORDER BY 1`
const KEPT = sql<{ series: string; markets: string }>`
  SELECT concat_ws('/', venue, category, subcategory, timeframe) AS series, markets
  FROM resolved_counts WHERE markets <> 0 ORDER BY 1`

test('the counts are those of the listed markets with a resolution, whatever was saved or deleted in whatever order', async () => {
  const run = fc.asyncProperty(fc.array(work, { minLength: 4, maxLength: 12 }), async (steps) => {
    for (const table of ['markets', 'resolutions']) await sql`DELETE FROM ${sql.table(table)}`.execute(open.database)
    for (const step of steps) {
      if (step.kind === 'list')
        await open.markets.saveListings(step.names.map((name) => listing(name, step.series, step.day)))
      else if (step.kind === 'resolve')
        await open.markets.saveResolutions(step.names.map((name) => resolution(name, step.day)))
      else await deleteExpiredRows(open.database, { RETENTION_DAYS_MARKETS: 5 }, NOW_MS + (step.day + 5) * DAY_MS)
    }
    const { rows } = await COUNTED.execute(open.database)
    expect((await KEPT.execute(open.database)).rows).toEqual(rows)
    const total = rows.reduce((sum, { markets }) => sum + Number(markets), 0)
    expect(await open.markets.countResolved({})).toBe(total)
  })
  await fc.assert(run, { numRuns: 40 })
})

test('a filter chooses which resolved markets are counted', async () => {
  await open.markets.saveListings(NAMES.map((name, place) => listing(name, place % SERIES.length, 9)))
  await open.markets.saveResolutions(NAMES.map((name) => resolution(name, 9)))
  const count = (filter: Parameters<OpenMarkets['markets']['countResolved']>[0]) => open.markets.countResolved(filter)
  expect(await count({ venue: 'kalshi' })).toBe(0)
  expect(await count({ coin: 'BTC', timeframe: '5m' })).toBe(2)
  expect(await count({ categories: ['crypto'] })).toBe(4)
  expect(await count({ category: 'sports', subcategory: 'NBA' })).toBe(1)
})

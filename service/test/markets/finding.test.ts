import { marketOf, NOW_MS } from '@bookreel/testbed/service/market-facts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FairQueue } from '../../src/stores/engines/fair-queue.ts'
import { openDatabase } from '../../src/stores/engines/postgres-database.ts'
import { forCaller } from '../../src/stores/engines/waiting-caller.ts'
import { type MarketFilter, Markets } from '../../src/stores/markets/markets.ts'
import { type OpenMarkets, openMarkets } from './open-markets.ts'

const MINUTE_MS = 60_000
const window = (name: string, startMinute: number, changed = {}) =>
  marketOf(name, {
    startsAtMs: NOW_MS + startMinute * MINUTE_MS,
    endsAtMs: NOW_MS + (startMinute + 5) * MINUTE_MS,
    ...changed,
  })
const { startsAtMs: _, ...fed } = marketOf('fed', {
  category: 'economics',
  subcategory: 'FOMC',
  timeframe: 'rates',
  planId: 'economics',
  endsAtMs: NOW_MS + 60 * MINUTE_MS,
})
const all = [
  window('long over', -60),
  window('just over', -5),
  window('current', -2),
  window('resolved early', -1),
  window('next', 3),
  window('eth', -2, { subcategory: 'ETH' }),
  window('hour', -2, { timeframe: '1h' }),
  fed,
]
const isResolved = new Set(['long over', 'resolved early'])

let open: OpenMarkets
beforeAll(async () => {
  open = await openMarkets()
  await open.markets.saveListings(all.map((market) => ({ market, seenAtMs: NOW_MS })))
  const ended = all.filter(({ label }) => isResolved.has(label))
  await open.markets.saveResolutions(ended.map(({ id }) => ({ marketId: id, resolvedAtMs: NOW_MS })))
})
afterAll(() => open[Symbol.asyncDispose]())

const resolved = async (filter: MarketFilter, page: { limit?: number; offset?: number; afterId?: string } = {}) => {
  const { markets, totalCount } = await open.markets.listResolved(filter, NOW_MS, { limit: 100, offset: 0, ...page })
  return { labels: markets.map(({ label }) => label), ids: markets.map(({ id }) => id), totalCount }
}
const expectSame = (found: string[], wanted: string[]) => expect(found.toSorted()).toEqual(wanted.toSorted())

test('the status of a market follows the clock and the resolution', async () => {
  const statusOf = async (name: string) => (await open.markets.bySlug(`slug-${name}`, NOW_MS))?.status
  expect(await statusOf('current')).toBe('live')
  expect(await statusOf('next')).toBe('upcoming')
  expect(await statusOf('just over')).toBe('settling')
  expect(await statusOf('resolved early')).toBe('expired')
  expect(await statusOf('fed')).toBe('live')
})

test('resolved markets are listed by id, in pages by offset or by the last id, with their number on all pages', async () => {
  const wanted = all.filter(({ label }) => isResolved.has(label)).map(({ id }) => id)
  const [first = '', second] = wanted.toSorted()
  expect(await resolved({})).toMatchObject({ ids: [first, second], totalCount: 2 })
  expect(await resolved({}, { limit: 1 })).toMatchObject({ ids: [first], totalCount: 2 })
  expect(await resolved({}, { limit: 1, offset: 1 })).toMatchObject({ ids: [second], totalCount: 2 })
  expect(await resolved({}, { afterId: first })).toMatchObject({ ids: [second], totalCount: 2 })
})

test('filters match exact words, and a coin selects only crypto', async () => {
  for (const filter of [{ category: 'crypto' }, { coin: 'BTC', timeframe: '5m' }, { categories: ['crypto'] }] as const)
    expectSame((await resolved(filter)).labels, ['long over', 'resolved early'])
  const others: MarketFilter[] = [
    { category: 'economics' },
    { subcategory: 'btc' },
    { coin: 'ETH' },
    { timeframe: '1h' },
  ]
  for (const filter of [...others, { venue: 'kalshi' }, { coin: 'FOMC' }, { subcategory: "' OR true --" }])
    expect(await resolved(filter)).toEqual({ labels: [], ids: [], totalCount: 0 })
})

test('a market is found by id, by either token and by slug, also after its end; an unknown one is undefined', async () => {
  for (const market of all) {
    const lookups = [
      open.markets.byId(market.id, NOW_MS),
      open.markets.byToken(market.tokenIds[0], NOW_MS),
      open.markets.byToken(market.tokenIds[1], NOW_MS),
      open.markets.bySlug(market.slug, NOW_MS),
    ]
    for (const found of await Promise.all(lookups)) expect(found?.id).toBe(market.id)
  }
  expect(await open.markets.byId('0x', NOW_MS)).toBeUndefined()
  expect(await open.markets.byToken('0', NOW_MS)).toBeUndefined()
  expect(await open.markets.bySlug('slug', NOW_MS)).toBeUndefined()
  expect(await open.markets.byIds([], NOW_MS)).toEqual([])
})

test('the window at a time is found by coin and length, at both of its edges', async () => {
  const found = async (coin: string, timeframe: string, minute: number) =>
    (await open.markets.windowAt({ coin, timeframe }, NOW_MS + minute * MINUTE_MS, NOW_MS))?.label
  expect(await found('BTC', '5m', 4)).toBe('next')
  expect(await found('BTC', '5m', 8)).toBeUndefined()
  expect(await found('BTC', '5m', -60)).toBe('long over')
  expect(await found('BTC', '5m', -55)).toBeUndefined()
  expect(await found('ETH', '5m', 0)).toBe('eth')
  expect(await found('BTC', '1h', 0)).toBe('hour')
  expect(await found('SOL', '5m', 0)).toBeUndefined()
})

test('a list that nobody waits for any more is cancelled in PostgreSQL, also while all connections are in use, and the next one has its place', async () => {
  const waiting = sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%from "markets"%'`
  const url = open.stack.variable('DATABASE_URL')
  const queue = new FairQueue({ places: 1, placesOfAccount: 1, waiting: 1, waitingOfAccount: 1 })
  await using busy = openDatabase({ url, maxConnections: 1, answerWithinMs: 600_000, queue })
  await open.database.transaction().execute(async (transaction) => {
    await sql`LOCK TABLE markets IN ACCESS EXCLUSIVE MODE`.execute(transaction)
    const caller = new AbortController()
    const list = forCaller({ signal: caller.signal }, () =>
      new Markets(busy).listResolved({}, NOW_MS, { limit: 1, offset: 0 }),
    )
    list.catch(() => {})
    await expect.poll(async () => (await waiting.execute(open.database)).rows[0]?.count, { timeout: 60_000 }).toBe(1)
    const next = waiting.execute(busy)
    caller.abort(new Error('the caller left'))
    await expect(list).rejects.toThrow('the caller left')
    expect((await next).rows).toEqual([{ count: 0 }])
  })
})

test('a venue limits slugs and windows to its own markets', async () => {
  const theirs = { venue: 'kalshi', slug: 'slug-current', id: `0x${'e'.repeat(64)}` }
  await open.markets.saveListings([{ market: window('theirs', -2, theirs), seenAtMs: NOW_MS }])
  const venues = ['polymarket', 'kalshi', 'other'] as const
  const series = { coin: 'BTC', timeframe: '5m' }
  const found = await Promise.all(
    venues.map(async (venue) => [
      (await open.markets.bySlug('slug-current', NOW_MS, venue))?.venue,
      (await open.markets.windowAt({ ...series, venue }, NOW_MS, NOW_MS))?.venue,
      (
        await open.markets.windowsBetween(
          { ...series, venue },
          { fromMs: NOW_MS, toMs: NOW_MS + 1 },
          { nowMs: NOW_MS, limit: 9 },
        )
      ).every((each) => each.venue === venue),
    ]),
  )
  const [ours, kalshi, none] = found
  expect(ours).toEqual(['polymarket', 'polymarket', true])
  expect(kalshi).toEqual(['kalshi', 'kalshi', true])
  expect(none).toEqual([undefined, undefined, true])
})

test('all unresolved markets are found in pages, each once, also when many end at one time', async () => {
  const many = Array.from({ length: 4_500 }, (_, n) => window(`many ${n}`, 100_000 + (n % 2)))
  await open.markets.saveListings(many.map((market) => ({ market, seenAtMs: NOW_MS })))
  const found = await open.markets.unresolved(NOW_MS - 60 * MINUTE_MS, NOW_MS)
  expectSame(
    found.map(({ id }) => id),
    [...all.filter(({ label }) => !isResolved.has(label)), ...many, { id: `0x${'e'.repeat(64)}` }].map(({ id }) => id),
  )
  expect(found.filter(({ status }) => status === 'settling').map(({ label }) => label)).toEqual(['just over'])
  const later = await open.markets.unresolved(NOW_MS, NOW_MS)
  expect(found.length - later.length).toBe(1)
})

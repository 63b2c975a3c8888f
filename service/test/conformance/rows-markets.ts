import assert from 'node:assert/strict'
import { all, hasHeaders, hasMembers, isLike } from './checks.ts'
import { type Row, rowsOf } from './row.ts'
import { HOUR_MS, WINDOW_MS } from './rows-slugs.ts'

const BY_SLUG = '/v1/markets/by-slug/{slug}'
const BOOK = '/v1/markets/{id}/orderbook'
const LIVE = '/v1/markets/live'
type Check = NonNullable<Row['check']>

const books = rowsOf('4.2', [
  {
    endpoint: BOOK,
    request: '/v1/markets/{live.upper}/orderbook',
    as: 'free',
    shows: 'Ids are taken in any case.',
    status: 200,
    check: ({ body }, scene) => assert.equal(body.market_id, scene.fill('{live}')),
  },
  ...['{unknown}', '0x12', 'nonsense'].map((id) => ({
    endpoint: BOOK,
    request: `/v1/markets/${id}/orderbook`,
    as: 'pro' as const,
    shows: 'An unknown id is 404, and so is one that is malformed.',
    status: 404,
    error: 'market_not_found' as const,
  })),
  ...(['{closed}', '{closed_other}', '{old}'] as const).map((id) => ({
    endpoint: BOOK,
    request: `/v1/markets/${id}/orderbook`,
    as: 'pro' as const,
    shows: 'A closed market has no live book: 404.',
    status: 404,
    error: 'market_closed' as const,
  })),
  {
    endpoint: BOOK,
    request: '/v1/markets/{silent}/orderbook',
    as: 'pro',
    shows:
      'A known market without a book of the last minute is 404 with the words of the interface, and when to ask again.',
    status: 404,
    error: 'no_recent_data',
    check: all(isLike({ message: 'No recent data' }), hasHeaders({ 'retry-after': /^\d+$/ })),
  },
  {
    endpoint: BOOK,
    request: '/v1/markets/{live}/orderbook',
    as: 'pro',
    aheadMs: 30_000,
    shows: 'A book that was not renewed is served for a minute, and says that it is stale and how old.',
    status: 200,
    check: ({ body }) => assert.ok(body.stale && body.age_ms >= 29_000),
  },
  {
    endpoint: BOOK,
    request: '/v1/markets/{live}/orderbook',
    as: 'pro',
    aheadMs: 65_000,
    shows: 'After a minute it is no longer served.',
    status: 404,
    error: 'no_recent_data',
    check: isLike({ message: 'No recent data' }),
  },
  ...(['{live}', '{other}', '{closed}', '{old}', '{forgotten}'] as const).map((id) => ({
    endpoint: '/v1/markets/{id}/summary',
    request: `/v1/markets/${id}/summary`,
    as: 'pro' as const,
    shows: 'A summary tells spread, depth, range of prices and both sides over what was recorded, live or closed.',
    status: 200,
    check: all(
      hasMembers({ market_id: 'text', snapshot_count: 'whole', first_seen: 'time', last_seen: 'time', sides: 'list' }),
      hasMembers({ avg_mid_price: 'number', min_mid_price: 'number', max_mid_price: 'number', avg_spread: 'number' }),
      hasMembers({ avg_bid_depth: 'number', avg_ask_depth: 'number' }),
      hasMembers(
        { token_side: 'side', snapshots: 'whole', avg_bid: 'number', avg_ask: 'number' },
        ({ sides }) => sides,
      ),
    ),
  })),
  ...['{unknown}', 'nonsense'].map((id) => ({
    endpoint: '/v1/markets/{id}/summary',
    request: `/v1/markets/${id}/summary`,
    as: 'pro' as const,
    shows: 'An unknown id is 404, and so is one that is malformed.',
    status: 404,
    error: 'market_not_found' as const,
  })),
])

const bySoonest: Check = ({ body }) => {
  const order = body.map(({ expiresIn, conditionId }: { expiresIn: number; conditionId: string }) => ({
    expiresIn,
    conditionId,
  }))
  const sorted = order.toSorted(
    (one: (typeof order)[0], other: (typeof order)[0]) =>
      one.expiresIn - other.expiresIn || (one.conditionId < other.conditionId ? -1 : 1),
  )
  assert.deepEqual(order, sorted)
}

const lists = rowsOf('4.2', [
  ...['limit=20', 'offset=1', 'limit=5000', 'limit=3&offset=2', 'category=crypto&limit=50'].map((page) => ({
    endpoint: LIVE,
    request: `${LIVE}?${page}`,
    as: 'pro' as const,
    shows: 'With a limit or an offset, what ends soonest comes first; ties by id.',
    status: 200,
    check: all(bySoonest, hasHeaders({ 'x-total-count': /^\d+$/ })),
  })),
  ...['5m', '15m', '1h', '4h', '1d'].map((timeframe) => ({
    endpoint: LIVE,
    request: `${LIVE}?crypto=BTC&timeframe=${timeframe}&limit=1`,
    as: 'free' as const,
    shows: 'The first of a series is its current window.',
    status: 200,
    check: (({ body: [market, ...rest] }) => {
      assert.deepEqual(rest, [])
      assert.partialDeepStrictEqual(market, { subcategory: 'BTC', timeframe, expired: false })
      assert.ok(Date.parse(market.startDate) <= Date.now() && market.expiresIn <= (WINDOW_MS[timeframe] ?? 0) + HOUR_MS)
    }) as Check,
  })),
  {
    endpoint: LIVE,
    request: `${LIVE}?category={other.category}&limit=5000`,
    as: 'pro',
    shows: 'Limit and offset cut the filtered list into pages that fit together.',
    status: 200,
    check: async ({ body, headers }, scene) => {
      const ids = (list: { conditionId: string }[]): string[] => list.map(({ conditionId }) => conditionId)
      assert.equal(Number(headers['x-total-count']), body.length)
      const [one, two] = await Promise.all([
        scene.ask('pro', `${LIVE}?category={other.category}&limit=1`),
        scene.ask('pro', `${LIVE}?category={other.category}&offset=1`),
      ])
      assert.deepEqual([...ids(one.body), ...ids(two.body)], ids(body))
    },
  },
  ...['offset=-1', 'offset=x'].map((parameter) => ({
    endpoint: LIVE,
    request: `${LIVE}?${parameter}`,
    as: 'pro' as const,
    shows: 'An offset that is no whole number is refused.',
    status: 400,
    error: 'invalid_request' as const,
  })),
  {
    endpoint: LIVE,
    request: `${LIVE}?offset=900000`,
    as: 'pro',
    shows: 'An offset behind the end is an empty list.',
    status: 200,
    check: ({ body }) => assert.deepEqual(body, []),
  },
  {
    endpoint: '/v1/markets/history',
    request: '/v1/markets/history',
    as: 'pro',
    shows: 'The history list is up to 30 seconds old, and says how old.',
    status: 200,
    check: all(hasHeaders({ 'x-cache-age': /^\d+$/, 'cache-control': /max-age=\d+/ }), ({ headers }) => {
      assert.ok(Number(headers['x-cache-age']) <= 30)
    }),
  },
  {
    endpoint: '/v1/markets/history/recent',
    request: '/v1/markets/history/recent?limit=3',
    as: 'pro',
    shows: 'The recent list is read page by page, no market twice.',
    status: 200,
    check: async ({ body }, scene) => {
      const next = await scene.ask('pro', `/v1/markets/history/recent?limit=3&cursor=${body.next_cursor}`)
      const ids = [...body.markets, ...next.body.markets].map(({ market_id }: { market_id: string }) => market_id)
      assert.equal(new Set(ids).size, 6)
    },
  },
])

const flags = rowsOf('3', [
  ...(['{live.slug}', '{live}'] as const).map((slug) => ({
    endpoint: BY_SLUG,
    request: `/v1/markets/by-slug/${slug}`,
    as: 'free' as const,
    shows: 'A live market is active and not expired, by slug and by raw id alike.',
    status: 200,
    check: all(isLike({ active: true, expired: false }), ({ body }) => assert.ok(body.expires_in > 0)),
  })),
  ...(['{closed.slug}', '{closed}', '{old}'] as const).map((slug) => ({
    endpoint: BY_SLUG,
    request: `/v1/markets/by-slug/${slug}`,
    as: 'free' as const,
    shows: 'A closed market is expired and not active, by slug and by raw id alike.',
    status: 200,
    check: isLike({ active: false, expired: true, expires_in: 0 }),
  })),
  {
    endpoint: '/v1/markets/history/recent',
    request: '/v1/markets/history/recent?status=closed',
    as: 'pro',
    shows: 'In the history a market is live or closed, and the counts say how many of each.',
    status: 200,
    check: ({ body }) => {
      assert.ok(body.markets.length >= 4 && body.markets.every(({ is_live }: { is_live: boolean }) => !is_live))
      assert.equal(body.live_count, 0)
    },
  },
])

export const marketRows: readonly Row[] = [...books, ...lists, ...flags]

import assert from 'node:assert/strict'
import { all, hasHeaders, hasMembers, isLike } from './checks.ts'
import { type Row, rowsOf } from './row.ts'

const BY_SLUG = '/v1/markets/by-slug/{slug}'
const BOOK_BY_SLUG = '/v1/markets/by-slug/{slug}/orderbook'
const BOOK = '/v1/markets/{id}/orderbook'
const LIVE = '/v1/markets/live'
const WINDOW_MS: Readonly<Record<string, number>> = {
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
}
/** A day of the clock of New York has an hour more or less twice a year. */
const HOUR_MS = 3_600_000

type Check = NonNullable<Row['check']>

/** The window of that coin and length that is open now, whichever that is by the time it is looked at. */
function isOpenWindow(coin: string, timeframe: string): Check {
  return ({ body }) => {
    assert.partialDeepStrictEqual(body, { crypto: coin, timeframe, matched_by: 'updown', active: true, outcomes: ['Up', 'Down'] })
    const [startMs, endMs] = [Date.parse(body.start_date), Date.parse(body.end_date)]
    assert.ok(Math.abs(endMs - startMs - (WINDOW_MS[timeframe] ?? 0)) <= (timeframe === '1d' ? HOUR_MS : 0))
    assert.ok(startMs <= Date.now() && endMs > Date.now() - 5_000)
  }
}

const fuzzy: Omit<Row, 'section'>[] = Object.keys(WINDOW_MS).flatMap((timeframe) =>
  ['', '-{now.s}', '-latest', '-1'].map((rest) => ({
    endpoint: BY_SLUG,
    request: `/v1/markets/by-slug/btc-updown-${timeframe}${rest}`,
    as: 'free' as const,
    shows: 'A coin and a length name the open window, whatever stands behind them; a time names the window that holds it.',
    status: 200,
    check: isOpenWindow('BTC', timeframe),
  })),
)

const slugs = rowsOf('4.2', [
  ...fuzzy,
  {
    endpoint: BY_SLUG,
    request: '/v1/markets/by-slug/BTC-UpDown-5M',
    as: 'free',
    shows: 'The case of a slug does not matter.',
    status: 200,
    check: isOpenWindow('BTC', '5m'),
  },
  {
    endpoint: BOOK_BY_SLUG,
    request: '/v1/markets/by-slug/btc-updown-5m/orderbook',
    as: 'free',
    shows: 'The book of the open window of a coin is one call away.',
    status: 200,
    check: isLike({ crypto: 'BTC', timeframe: '5m', matched_by: 'updown', requested_slug: 'btc-updown-5m' }),
  },
  {
    endpoint: BY_SLUG,
    request: '/v1/markets/by-slug/{live.slug}',
    as: 'free',
    shows: 'An exact slug is that market and nothing else.',
    status: 200,
    check: ({ body }, scene) => {
      assert.partialDeepStrictEqual(body, { market_id: scene.fill('{live}'), matched_by: 'exact' })
      assert.ok(!('requested_slug' in body))
    },
  },
  {
    endpoint: BY_SLUG,
    request: '/v1/markets/by-slug/conformance-sil',
    as: 'free',
    shows: 'The beginning of a slug finds the market, and the answer says that it was found so.',
    status: 200,
    check: isLike({ slug: 'conformance-silent', matched_by: 'prefix', requested_slug: 'conformance-sil' }),
  },
  {
    endpoint: BY_SLUG,
    request: '/v1/markets/by-slug/conformance-silemt',
    as: 'free',
    shows: 'A slip of the pen finds the market that is clearly meant.',
    status: 200,
    check: isLike({ slug: 'conformance-silent', matched_by: 'trigram' }),
  },
  {
    endpoint: BY_SLUG,
    request: '/v1/markets/by-slug/bnb-updown-15m-{closed.start.s}',
    as: 'free',
    shows: 'A window asked for by a time of the past is that window, closed as it is.',
    status: 200,
    check: isLike({ slug: 'conformance-closed', matched_by: 'updown', expired: true }),
  },
  ...['{live.slug}', '{live}', '{closed}'].map((slug) => ({
    endpoint: BY_SLUG,
    request: `/v1/markets/by-slug/${slug}`,
    as: 'free' as const,
    shows: 'A condition id is taken where a slug is.',
    status: 200,
    check: hasMembers({ matched_by: 'text', market_id: 'text' }),
  })),
  ...['nothing-like-any-of-these', '0x12', '{unknown}', 'pepe-updown-5m', 'btc-updown-7m'].flatMap((slug) =>
    [BY_SLUG, BOOK_BY_SLUG].map((endpoint) => ({
      endpoint,
      request: endpoint.replace('{slug}', slug),
      as: 'free' as const,
      shows: 'What no slug and no id is like is not found; no other coin or length is put in its place.',
      status: 404,
      error: 'slug_not_found' as const,
    })),
  ),
  ...['{closed.slug}', 'bnb-updown-15m-{closed.start.s}', '{closed}'].map((slug) => ({
    endpoint: BOOK_BY_SLUG,
    request: `/v1/markets/by-slug/${slug}/orderbook`,
    as: 'free' as const,
    shows: 'The live book by slug is only for markets that are active: a closed one is 404, never another window.',
    status: 404,
    error: 'market_closed' as const,
  })),
])

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
    shows: 'A known market without a book of the last minute is 404 with the words of the interface, and when to ask again.',
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
      hasMembers({ token_side: 'side', snapshots: 'whole', avg_bid: 'number', avg_ask: 'number' }, ({ sides }) => sides),
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
  const order = body.map(({ expiresIn, conditionId }: { expiresIn: number; conditionId: string }) => ({ expiresIn, conditionId }))
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

export const marketRows: readonly Row[] = [...slugs, ...books, ...lists, ...flags]

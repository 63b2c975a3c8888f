import assert from 'node:assert/strict'
import { all, hasHeaders, hasMembers, isLike } from './checks.ts'
import { type Row, rowsOf } from './row.ts'

const BY_SLUG = '/v1/markets/by-slug/{slug}'
const BOOK = '/v1/markets/{id}/orderbook'

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
])

export const marketRows: readonly Row[] = [...books, ...flags]

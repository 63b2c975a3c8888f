import assert from 'node:assert/strict'
import { hasMembers, isLike } from './checks.ts'
import { HOUR_MS, WINDOW_MS } from './claims-live-list.ts'
import { type Row, rowsOf } from './row.ts'

const BY_SLUG = '/v1/markets/by-slug/{slug}'
const BOOK_BY_SLUG = '/v1/markets/by-slug/{slug}/orderbook'
type Check = NonNullable<Row['check']>

/** The window of that coin and length that is open at the time of the check. */
function isOpenWindow(coin: string, timeframe: string, matchedBy = 'current_window'): Check {
  return ({ body }) => {
    assert.partialDeepStrictEqual(body, {
      crypto: coin,
      timeframe,
      matched_by: matchedBy,
      active: true,
      outcomes: ['Up', 'Down'],
    })
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
    shows:
      'A coin and a length name the open window, whatever stands behind them; a time names the window that holds it.',
    status: 200,
    check: isOpenWindow('BTC', timeframe, rest === '-{now.s}' ? 'window_at_time' : 'current_window'),
  })),
)

export const slugRows: readonly Row[] = rowsOf('4.2', [
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
    check: isLike({ crypto: 'BTC', timeframe: '5m', matched_by: 'current_window', requested_slug: 'btc-updown-5m' }),
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
    shows: 'A slug with a typing error finds the market when it is unambiguous.',
    status: 200,
    check: isLike({ slug: 'conformance-silent', matched_by: 'trigram' }),
  },
  {
    endpoint: BY_SLUG,
    request: '/v1/markets/by-slug/bnb-updown-15m-{closed.start.s}',
    as: 'free',
    shows: 'A window asked for by a time of the past is that window, closed as it is.',
    status: 200,
    check: isLike({ slug: 'conformance-closed', matched_by: 'window_at_time', expired: true }),
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
      shows: 'An unknown slug or id is not found; no other coin or length is returned in its place.',
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

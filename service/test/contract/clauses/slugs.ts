import assert from 'node:assert/strict'
import { explains, isLike } from '../checks.ts'
import { type Check, type Clause, clause, refused, served } from '../clause.ts'
import { HOUR_MS, WINDOW_MS } from './live-list.ts'

const BY_SLUG = '/v1/markets/by-slug'

/** The window of that coin and length that is open at the time of the check. */
function isOpenWindow(coin: string, timeframe: string, matchedBy = 'current_window'): Check {
  return ({ body }, { nowMs }) => {
    assert.partialDeepStrictEqual(body, {
      crypto: coin,
      timeframe,
      matched_by: matchedBy,
      active: true,
      outcomes: ['Up', 'Down'],
    })
    const [startMs, endMs] = [Date.parse(body.start_date), Date.parse(body.end_date)]
    assert.ok(Math.abs(endMs - startMs - (WINDOW_MS[timeframe] ?? 0)) <= (timeframe === '1d' ? HOUR_MS : 0))
    assert.ok(startMs <= nowMs && endMs > nowMs)
  }
}

export const slugClauses: readonly Clause[] = [
  clause(
    '4.2',
    'A slug of coin and timeframe, also with a time or other text behind it, finds the current window of the series.',
    Object.keys(WINDOW_MS).flatMap((timeframe) =>
      (timeframe === '5m' ? ['', '-{now.s}', '-latest', '-1'] : ['', '-{now.s}']).map((rest) =>
        served(
          'free',
          `${BY_SLUG}/btc-updown-${timeframe}${rest}`,
          isOpenWindow('BTC', timeframe, rest === '-{now.s}' ? 'window_at_time' : 'current_window'),
        ),
      ),
    ),
  ),
  clause('4.2', 'A slug is accepted in upper and lower case.', [
    served('free', `${BY_SLUG}/BTC-UpDown-5M`, isOpenWindow('BTC', '5m')),
  ]),
  clause('4.2', 'An exact slug finds exactly that market.', [
    served('free', `${BY_SLUG}/{live.slug}`, ({ body }, scene) => {
      assert.partialDeepStrictEqual(body, {
        market_id: scene.value('live'),
        slug: scene.value('live.slug'),
        matched_by: 'exact',
      })
      assert.ok(!('requested_slug' in body))
    }),
  ]),
  clause('4.2', 'The beginning of a slug finds the market, and the answer says how it was found.', [
    served(
      'free',
      `${BY_SLUG}/contract-sil`,
      isLike({ slug: 'contract-silent', matched_by: 'prefix', requested_slug: 'contract-sil' }),
    ),
  ]),
  clause('4.2', 'A slug with a typing error finds the only market that is similar.', [
    served('free', `${BY_SLUG}/contract-silemt`, isLike({ slug: 'contract-silent', matched_by: 'trigram' })),
  ]),
  clause(
    '7',
    'An unknown slug or id is 404; a market of another coin or timeframe is never returned instead.',
    ['nothing-like-any-of-these', '0x12', '{unknown}', 'pepe-updown-5m', 'btc-updown-7m'].flatMap((slug) =>
      [`${BY_SLUG}/${slug}`, `${BY_SLUG}/${slug}/orderbook`].map((path) =>
        refused('free', path, [404, 'slug_not_found'], explains(/market|slug/i)),
      ),
    ),
  ),
]

import assert from 'node:assert/strict'
import { TIERS } from '../../../src/domain/tier.ts'
import { ASKED_ENDPOINTS } from '../asked-endpoints.ts'
import { isEmptyBecause, needsTiers } from '../checks.ts'
import { type Clause, clause, refused, served } from '../clause.ts'
import { entriesOf } from './filters.ts'

const LISTS = ['/v1/markets/live', '/v1/markets/history', '/v1/markets/history/recent']
const ABOVE_FREE = TIERS.filter((tier) => tier !== 'free')
const OF_ONE_MARKET = ASKED_ENDPOINTS.flatMap(({ request, category }) =>
  category === undefined
    ? []
    : [{ request: request.replace('{live.slug}', '{other.slug}').replace('{live}', '{other}'), status: category }],
)

/** Requests that need history of that age. */
const OLD: readonly string[] = [
  '/v1/markets/{old}/snapshots?from={old.first}',
  '/api/snapshot?timestamp={old.first}&marketId={old}',
  '/v1/markets/{old}/summary',
  '/v1/exchange/snapshots?symbol=BTC&from={two_days_ago}',
  '/v1/markets/{old}/gaps?from={old.first}',
  '/v1/markets/{old}/bars?from={old.first}',
  '/v1/trades?marketId={old}&from={old.first}',
  '/v1/asof?timestamp={old.first}&markets={old}',
  '/v1/markets/{old}/execution?side=UP&action=buy&size=5&timestamp={old.first}',
  '/v1/markets/{old}/heatmap?from={old.first}',
  '/v1/exchange/heatmap?symbol=BTC&from={two_days_ago}',
  '/v1/exchange/bars?symbol=BTC&from={two_days_ago}',
  '/v1/exchange/gaps?symbol=BTC&from={two_days_ago}',
]
/** One minute on either side of 24 hours. */
const TO_THE_MINUTE: readonly [request: string, status: 402 | 403][] = [
  ['/v1/markets/{closed}/snapshots?from=', 402],
  ['/v1/markets/{closed}/bars?from=', 403],
  ['/v1/exchange/snapshots?symbol=BTC&from=', 403],
]

const statusOf = (request: string): 402 | 403 =>
  /\/snapshots\?from/.test(request) && !request.includes('exchange') ? 402 : 403

export const tierClauses: readonly Clause[] = [
  clause(
    '7',
    'A market outside the categories of the free tier is refused by id and by slug: 403, on the snapshots list 402.',
    [...OF_ONE_MARKET, { request: '/v1/markets/by-slug/{closed_other.slug}', status: 403 as const }].map(
      ({ request, status }) => refused('free', request, [status, 'tier_not_allowed'], needsTiers(...ABOVE_FREE)),
    ),
  ),
  clause(
    '7',
    'From the pro tier on, markets of every category are served.',
    OF_ONE_MARKET.map(({ request }) => served('pro', request, ({ body }) => assert.ok(Object.keys(body).length > 2))),
  ),
  clause('7', 'A list with a category outside the tier is 403 for free and served from pro on.', [
    ...LISTS.flatMap((list) => [
      refused('free', `${list}?category=weather`, [403, 'tier_not_allowed'], needsTiers(...ABOVE_FREE)),
      served('pro', `${list}?category=weather`, ({ body }) => assert.ok(entriesOf(body).length >= 4)),
    ]),
  ]),
  clause('7', 'Without a category, a list leaves out what the tier excludes, and a header names it.', [
    ...LISTS.flatMap((list) => [
      served('free', list, ({ body, headers }) => {
        assert.ok(entriesOf(body).length > 0 && entriesOf(body).every(({ category }) => category === 'crypto'))
        assert.equal(headers['x-tier-scope-filtered'], 'sports,economics,weather,social,equities')
      }),
      served('pro', list, ({ body, headers }) => {
        assert.equal(new Set(entriesOf(body).map(({ category }) => category)).size >= 6, true)
        assert.equal(headers['x-tier-scope-filtered'], undefined)
      }),
    ]),
  ]),
  clause('7', 'A list that is empty because of the tier says so.', [
    ...LISTS.map((list) => served('free', `${list}?timeframe=daily-high`, isEmptyBecause('tier'))),
  ]),
  clause('added', 'An as-of request with one market outside the tier is refused as a whole.', [
    refused(
      'free',
      '/v1/asof?timestamp={two_seconds_ago}&markets={live},{other}',
      [403, 'tier_not_allowed'],
      needsTiers(...ABOVE_FREE),
    ),
  ]),
  clause(
    '8',
    'The free tier reads 24 hours of history; older data is 403, on the snapshots list 402, and never cut off silently.',
    [
      ...OLD.map((request) =>
        refused('free', request, [statusOf(request), 'tier_not_allowed'], needsTiers(...ABOVE_FREE)),
      ),
      ...TO_THE_MINUTE.map(([request, status]) =>
        refused('free', `${request}{a_day_and_a_minute_ago}`, [status, 'tier_not_allowed'], needsTiers(...ABOVE_FREE)),
      ),
    ],
  ),
  clause('8', 'Data that is younger than 24 hours is served to the free tier.', [
    ...TO_THE_MINUTE.map(([request]) =>
      served('free', `${request}{almost_a_day_ago}`, ({ body }) =>
        assert.ok((body.snapshots ?? body.bars ?? body).length > 0),
      ),
    ),
  ]),
  clause('8', 'From the pro tier on, history has no limit; `historyHours` is 0.', [
    ...OLD.map((request) => served('pro', request, ({ body }) => assert.ok(Object.keys(body).length > 0))),
  ]),
]

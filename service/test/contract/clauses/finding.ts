import assert from 'node:assert/strict'
import { endpoints } from '../../../src/endpoints/index.ts'
import { ASKED_ENDPOINTS } from '../asked-endpoints.ts'
import { all, isLike } from '../checks.ts'
import { type Case, type Check, type Clause, clause } from '../clause.ts'

const SLUG = '/v1/markets/by-slug'
const RECENT = '/v1/markets/history/recent'
/** 40 slots, two tokens each. */
const TOKEN_ROWS = 80

const slugs: Clause[] = [
  clause('4.2', 'A time in a slug, in seconds or milliseconds, names the recorded window that contains it.', [
    ...['{closed.start.s}', '{closed.start.ms}', '{closed.last.ms}'].map((time) => ({
      request: `${SLUG}/bnb-updown-15m-${time}`,
      as: 'free' as const,
      check: isLike({ slug: 'contract-closed', matched_by: 'window_at_time', expired: true }),
    })),
    {
      request: `${SLUG}/bnb-updown-15m-{closed.end.s}`,
      as: 'free',
      check: isLike({ slug: 'contract-open-BNB-15m', matched_by: 'current_window', active: true }),
    },
    {
      request: `${SLUG}/bnb-updown-15m-{forgotten.start.s}`,
      as: 'free',
      check: isLike({ slug: 'contract-forgotten', matched_by: 'window_at_time', described_by: 'recorded_facts' }),
    },
  ]),
  clause(
    '4.2',
    'A slug with any other time, or with digits that are no time, is the current window of its series, for the market and for its book.',
    [
      ...['0', '1', '1000000000', '1000000000000', '4000000000', '9999999999999', '9'.repeat(40), 'latest'].map(
        (time) => ({
          request: `${SLUG}/btc-updown-4h-${time}`,
          as: 'free' as const,
          check: isLike({
            slug: 'contract-open-BTC-4h',
            matched_by: 'current_window',
            requested_slug: `btc-updown-4h-${time}`,
            active: true,
          }),
        }),
      ),
      {
        request: `${SLUG}/btc-updown-5m-0/orderbook`,
        as: 'free',
        check: isLike({
          crypto: 'BTC',
          timeframe: '5m',
          matched_by: 'current_window',
          requested_slug: 'btc-updown-5m-0',
        }),
      },
    ],
  ),
  clause(
    '4.2',
    'When a slug matches a market that has ended, its book is 404; the error says which market matched, how, and what to call instead.',
    (
      [
        ['{closed.slug}', 'exact'],
        ['bnb-updown-15m-{closed.last.ms}', 'window_at_time'],
        ['{closed}', 'condition_id'],
      ] as const
    ).map(([slug, matchedBy]) => ({
      request: `${SLUG}/${slug}/orderbook`,
      as: 'free' as const,
      status: 404,
      error: 'market_closed' as const,
      check: ({ body }, scene) => {
        assert.partialDeepStrictEqual(body.details, {
          market_id: scene.value('closed'),
          slug: 'contract-closed',
          matched_by: matchedBy,
        })
        assert.match(body.message, /contract-closed/)
        assert.match(body.message, /\/v1\/markets\/\{id\}\/snapshots/)
        assert.match(body.message, /by-slug\/bnb-updown-15m\/orderbook/)
      },
    })),
  ),
]

/** What each endpoint says of a market of which ClickHouse alone has 40 rows. */
function answersOf(name: 'forgotten' | 'rows_only'): Case[] {
  const at = (path: string, check: Check): Case => ({ request: path, as: 'pro', check })
  const isItself: Check = ({ body }, scene) => assert.equal(body.market_id, scene.value(name))
  const isKnown = name === 'forgotten'
  const category = isKnown ? 'crypto' : ''
  return [
    at(
      `${SLUG}/{${name}}`,
      all(
        isItself,
        isLike({
          category,
          slug: isKnown ? 'contract-forgotten' : '',
          described_by: isKnown ? 'recorded_facts' : 'capture_statistics',
          active: false,
          expired: true,
          capture_interval_ms: 250,
          snapshot_count: TOKEN_ROWS,
          matched_by: 'condition_id',
        }),
      ),
    ),
    at(`/v1/markets/{${name}}/summary`, all(isItself, isLike({ category, snapshot_count: TOKEN_ROWS }))),
    at(
      `/v1/markets/{${name}}/snapshots?limit=500`,
      all(isItself, ({ body }) => {
        assert.equal(body.snapshots.length, TOKEN_ROWS)
        assert.ok(body.snapshots.every(({ token_id }: { token_id: string }) => isKnown === token_id > ''))
      }),
    ),
    at(
      `/v1/markets/{${name}}/gaps`,
      all(isItself, isLike({ capture_interval_ms: 250, coverage: { stored_slots: 40 }, unaccounted_slots: 0 })),
    ),
    at(
      `/v1/markets/{${name}}/bars?interval=1s`,
      all(isItself, ({ body }) => assert.equal(body.bars.length, 10)),
    ),
    at(`/v1/trades?marketId={${name}}`, all(isItself, isLike({ empty_reason: 'no_trades' }))),
    at(`/v1/markets/{${name}}/export?hour={forgotten.hour}&dry_run=true`, all(isItself, isLike({ rows: TOKEN_ROWS }))),
    at(
      `/v1/markets/{${name}}/execution?side=UP&action=buy&size=5&timestamp={forgotten.row.7}`,
      all(isItself, isLike({ best_price: 0.5107, complete: true })),
    ),
    at(`/v1/asof?markets={${name}}&timestamp={forgotten.row.7}`, ({ body: { markets } }, scene) =>
      assert.partialDeepStrictEqual(markets, [
        { market_id: scene.value(name), status: 'ok', matched_by: 'condition_id', up: { best_bid: 0.4807 } },
      ]),
    ),
    at(`/api/snapshot?marketId={${name}}&timestamp={forgotten.row.7}`, ({ body }, scene) =>
      assert.partialDeepStrictEqual(body, { condition_id: scene.value(name), best_bid: 0.4807, distance_ms: 0 }),
    ),
  ]
}

/** A request of each endpoint that takes the id of a market, for that market. */
const OF_ONE_MARKET = ASKED_ENDPOINTS.filter(({ request }) => /\{(live|closed)\}/.test(request)).map(
  ({ request }) => request,
)

const withoutMetadata: Clause[] = [
  clause(
    '2.3',
    'A market without a metadata row is answered by every endpoint from what was recorded of its listing.',
    answersOf('forgotten'),
  ),
  clause(
    '2.3',
    'A market of which only rows are known is answered by every endpoint from the statistics of its rows.',
    answersOf('rows_only'),
  ),
  clause(
    '2.3',
    'A market without a metadata row has no live book.',
    ['forgotten', 'rows_only'].flatMap((name) =>
      [
        `/v1/markets/{${name}}/orderbook`,
        `${SLUG}/{${name}}/orderbook`,
        `/v1/markets/{${name}}/depth`,
        `/v1/markets/{${name}}/execution?side=UP&action=buy&size=5`,
      ].map((request) => ({
        request,
        as: 'pro' as const,
        status: 404,
        error: 'market_closed' as const,
        check: (({ body }, scene) => assert.equal(body.details.market_id, scene.value(name))) as Check,
      })),
    ),
  ),
  clause('4.2', 'Every market that the history lists is known to every endpoint that takes an id.', [
    {
      request: RECENT,
      as: 'pro',
      check: async ({ body }, scene) => {
        for (const name of ['forgotten', 'rows_only', 'closed', 'live']) {
          const entry = body.markets.find(({ market_id }: { market_id: string }) => market_id === scene.value(name))
          assert.ok(entry, `${name} is not listed`)
        }
        for (const request of OF_ONE_MARKET) {
          const answer = await scene.ask('scale', request.replace(/\{(live|closed)\}/, '{rows_only}'))
          assert.ok(!/^(market|slug)_not_found$/.test(answer.body?.error), `${request}: ${answer.text.slice(0, 200)}`)
        }
        assert.ok(OF_ONE_MARKET.length >= endpoints.filter(({ path }) => path.includes('{id}')).length)
      },
    },
  ]),
  clause('5', 'A market of unknown category is only for tiers that include all categories, in lists and by id.', [
    {
      request: RECENT,
      as: 'free',
      check: ({ body }, scene) => {
        const ids = body.markets.map(({ market_id }: { market_id: string }) => market_id)
        assert.ok(ids.includes(scene.value('forgotten')) && !ids.includes(scene.value('rows_only')))
      },
    },
    {
      request: `${SLUG}/{rows_only}`,
      as: 'free',
      status: 403,
      error: 'tier_not_allowed',
      check: ({ body }) => assert.match(body.message, /unknown category/),
    },
  ]),
]

const settling: Clause[] = [
  clause(
    '4.2',
    'A market past its end whose outcome is not known has no live book, depth or execution price: 404 by id and by slug.',
    [
      '/v1/markets/{settling}/orderbook',
      `${SLUG}/{settling.slug}/orderbook`,
      `${SLUG}/{settling}/orderbook`,
      `${SLUG}/doge-updown-15m-{settling.last.ms}/orderbook`,
      '/v1/markets/{settling}/depth',
      '/v1/markets/{settling}/execution?side=UP&action=buy&size=5',
    ].map((request) => ({
      request,
      as: 'free' as const,
      status: 404,
      error: 'market_closed' as const,
      check: (({ body }, scene) => {
        assert.partialDeepStrictEqual(body.details, { market_id: scene.value('settling'), status: 'settling' })
        assert.match(body.message, /outcome is not known yet/)
      }) as Check,
    })),
  ),
  clause('3', 'A settling market is not active and is expired.', [
    {
      request: `${SLUG}/{settling.slug}`,
      as: 'free',
      check: isLike({ status: 'settling', active: false, expired: true, expires_in: 0 }),
    },
  ]),
]

export const findingClauses: readonly Clause[] = [...slugs, ...withoutMetadata, ...settling]

import assert from 'node:assert/strict'
import { all, hasMembers, isLike } from '../checks.ts'
import { type Clause, clause, served } from '../clause.ts'
import { CATEGORY } from '../members.ts'

const INTERVALS = { crypto: 250, sports: 500, equities: 1_000, economics: 2_000, social: 100, weather: 3_000 }

const PACKS = [
  ['pro_monthly', 'pro', 17, 50_000],
  ['scale_monthly', 'scale', 49, 500_000],
  ['enterprise_monthly', 'enterprise', 549, 5_000_000],
  ['pro_annual', 'pro', 126, 50_000],
  ['scale_annual', 'scale', 360, 500_000],
  ['credits_10k', null, 5, 10_000],
  ['credits_100k', null, 20, 100_000],
  ['credits_500k', null, 50, 500_000],
]

export const publicClauses: readonly Clause[] = [
  clause('1', 'Each category has its own capture interval; crypto markets 250 ms.', [
    served('pro', '/v1/categories', ({ body }) => {
      const found = body.map(({ category, captureIntervalMs }: Record<string, unknown>) => [
        category,
        captureIntervalMs,
      ])
      assert.deepEqual(Object.fromEntries(found), INTERVALS)
    }),
  ]),
  clause('2.1', 'The category list has one entry for each category, with every listed member.', [
    served(
      'free',
      '/v1/categories',
      all(hasMembers(CATEGORY), ({ body }) => {
        const names = body.map(({ category }: { category: string }) => category).toSorted()
        assert.deepEqual(names, ['crypto', 'economics', 'equities', 'social', 'sports', 'weather'])
        assert.ok(body.every((each: { activeMarkets: number }) => each.activeMarkets > 0))
        assert.equal(body.find((each: { id: string }) => each.id === 'crypto').refreshIntervalMs, 15_000)
      }),
    ),
  ]),
  clause('2.8', 'The eight packs have the listed ids, tiers, prices and credits, in this order.', [
    served('nobody', '/v1/payments/packs', ({ body }) => {
      const found = body.packs.map(({ id, tier, priceUsd, credits }: Record<string, unknown>) => [
        id,
        tier,
        priceUsd,
        credits,
      ])
      assert.deepEqual(found, PACKS)
    }),
  ]),
  clause('8', 'The pack catalogue lists the limits of each tier, those of pro as in part 8.', [
    served('nobody', '/v1/payments/packs', ({ body }) => {
      assert.deepEqual(Object.keys(body.tiers), ['free', 'pro', 'scale', 'enterprise'])
      assert.partialDeepStrictEqual(body.tiers.pro, { freeBooksPerDay: 5_000, booksPerCredit: 50 })
      assert.partialDeepStrictEqual(body.tiers.pro, { rpm: 300, wsMax: 1, historyHours: 0, mcp: 'full', maxKeys: 5 })
      const credits = Object.values<{ creditsPerMonth: number }>(body.tiers).map((tier) => tier.creditsPerMonth)
      assert.deepEqual(credits.slice(1), [50_000, 500_000, 5_000_000])
    }),
  ]),
  clause('4.1', '`/health` reports the analytics store, cache, pipeline and WebSocket service.', [
    served(
      'nobody',
      '/health',
      all(
        hasMembers({ status: 'text', pipeline: 'text', websocket: 'text' }),
        isLike({ analytics_store: 'ok', cache: 'ok' }),
      ),
    ),
  ]),
  clause('4.1', '`/health` shows states only: no addresses and no product names.', [
    served('nobody', '/health', ({ text, body }) => {
      assert.doesNotMatch(text, /127\.0\.0\.1|localhost|clickhouse|redis|nats|postgres/i)
      assert.ok(Object.keys(body).length >= 5)
    }),
  ]),
  clause(
    '4.1',
    '`/v1/public-stats` has the number of snapshots, active markets, coin prices and the age of exchange data.',
    [
      served(
        'nobody',
        '/v1/public-stats',
        all(
          hasMembers({ active_markets: 'whole', prices: 'object', exchange: 'object' }),
          hasMembers({ snapshots_last_5min: 'whole', latest_snapshot: 'time' }, ({ exchange }) => exchange),
          ({ body }, { nowMs }) => {
            assert.ok(Number(body.snapshot_count) > 500 && body.active_markets > 20)
            assert.ok(body.prices.BTC > 0 && body.prices.ETH > 0)
            assert.ok(nowMs - Date.parse(body.exchange.latest_snapshot) < 300_000)
          },
        ),
      ),
    ],
  ),
  clause('4.1', '`/v1/status` has the state of each service now and on each of 90 days.', [
    served('nobody', '/v1/status', ({ body }) => {
      assert.ok(body.services.length > 0 && typeof body.status === 'string' && Array.isArray(body.incidents))
      for (const { days } of body.services) {
        assert.equal(days.length, 90)
        const dates = days.map(({ date }: { date: string }) => date)
        assert.equal(new Set(dates).size, 90)
      }
    }),
  ]),
  clause('4.3', '`/api/debug` has capture rates, buffer depths and error counts.', [
    served('free', '/api/debug', hasMembers({ rates: 'object', depths: 'object', errors: 'object', plans: 'object' })),
  ]),
  clause('4.3', '`/v1/stats` has snapshot totals, a breakdown by category, and counters of the pipeline.', [
    served('free', '/v1/stats', ({ body }) => {
      assert.equal(body.categories.length, 6)
      assert.equal(typeof body.pipeline, 'object')
      const sumOf = (name: 'snapshots' | 'active_markets'): number =>
        body.categories.reduce((sum: number, each: Record<string, number>) => sum + (each[name] ?? 0), 0)
      assert.equal(body.active_markets, sumOf('active_markets'))
      assert.ok(body.active_markets > 20 && sumOf('snapshots') > 0 && body.total_snapshots >= sumOf('snapshots'))
    }),
  ]),
  clause('9', 'The published interface has version 1.0.0; paths begin with /v1, /api or /health.', [
    served('nobody', '/openapi.json', ({ body }) => {
      assert.equal(body.info.version, '1.0.0')
      assert.deepEqual(
        Object.keys(body.paths).filter((path) => !/^\/(v1|api|health)(\/|$)/.test(path)),
        [],
      )
    }),
  ]),
]

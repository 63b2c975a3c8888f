import assert from 'node:assert/strict'
import { all, hasMembers } from './checks.ts'
import { type Row, rowsOf } from './row.ts'

const INTERVALS = { crypto: 250, sports: 500, equities: 1_000, economics: 2_000, social: 2_000, weather: 3_000 }

const publicEndpoints = rowsOf('4.1', [
  {
    endpoint: '/health',
    request: '/health',
    as: 'nobody',
    shows:
      'Health of the analytics store, the cache, the pipeline and the WebSocket service; states and nothing that helps an attacker.',
    status: 200,
    check: all(
      hasMembers({
        status: 'text',
        analytics_store: 'text',
        cache: 'text',
        pipeline: 'text',
        websocket: 'text',
        accounts: 'text',
      }),
      ({ text }) => assert.doesNotMatch(text, /127\.0\.0\.1|localhost|clickhouse|redis|nats|postgres/i),
    ),
  },
  {
    endpoint: '/v1/public-stats',
    request: '/v1/public-stats',
    as: 'nobody',
    shows: 'Count of snapshots, active markets, prices of coins, and how fresh the exchange data is.',
    status: 200,
    check: all(
      hasMembers({ snapshot_count: 'whole', active_markets: 'whole', prices: 'object', exchange: 'object' }),
      hasMembers({ snapshots_last_5min: 'whole', latest_snapshot: 'time' }, ({ exchange }) => exchange),
      ({ body }) => assert.ok(body.prices.BTC > 0 && body.active_markets > 0),
    ),
  },
  {
    endpoint: '/v1/status',
    request: '/v1/status',
    as: 'nobody',
    shows: 'Ninety days of each service, their incidents, and how it all is now.',
    status: 200,
    check: all(hasMembers({ status: 'text', services: 'list', incidents: 'list' }), ({ body }) => {
      for (const { days } of body.services) assert.equal(days.length, 90)
    }),
  },
])

const figures: Row[] = [
  {
    section: '1',
    endpoint: '/v1/categories',
    request: '/v1/categories',
    as: 'pro',
    shows: 'Every category is captured at its own interval; coins four times a second.',
    status: 200,
    check: ({ body }) => {
      const found = body.map(({ category, captureIntervalMs }: Record<string, unknown>) => [
        category,
        captureIntervalMs,
      ])
      assert.deepEqual(Object.fromEntries(found), INTERVALS)
    },
  },
  {
    section: '1',
    endpoint: '/v1/markets/{id}/orderbook',
    request: '/v1/markets/{live}/orderbook',
    as: 'pro',
    shows: 'A market has two tokens whose prices add up to about 1, with times in milliseconds.',
    status: 200,
    check: ({ body }) => {
      assert.ok(Math.abs(body.up.midPrice + body.down.midPrice - 1) < 0.05)
      assert.notEqual(body.up.tokenId, body.down.tokenId)
    },
  },
  {
    section: '1',
    endpoint: '/v1/markets/{id}/snapshots',
    request: '/v1/markets/{live}/snapshots?limit=500&side=UP&order=asc',
    as: 'pro',
    shows: 'Nothing is missing between consecutive numbers: four snapshots of a token a second.',
    status: 200,
    check: ({ body }) => {
      const numbers: number[] = body.snapshots.map(
        ({ sequence_number }: { sequence_number: number }) => sequence_number,
      )
      const held = new Set(numbers)
      const last = numbers.at(-1) ?? 0
      const holes = numbers.slice(0, -1).filter((number) => number !== last && !held.has(number + 1))
      const reported = body.gaps.map(({ first_slot }: { first_slot: number }) => first_slot)
      assert.deepEqual(
        holes.filter((number) => !reported.includes(number + 1)),
        [],
      )
    },
  },
  {
    section: '2.12',
    endpoint: '/v1/markets/{id}/summary',
    request: '/v1/markets/{live}/summary',
    as: 'pro',
    shows: 'Shapes that the interface leaves open are published, and every answer keeps to what is published.',
    status: 200,
  },
  ...['/health', '/v1/status', '/v1/public-stats'].map(
    (endpoint): Row => ({
      section: '4.7',
      endpoint,
      request: endpoint,
      as: 'nobody',
      shows: 'Bodies that the interface leaves open are published with their types, and kept to.',
      status: 200,
    }),
  ),
  ...[
    '/v1/stats',
    '/api/debug',
    '/v1/markets/history/recent',
    '/v1/exchange/snapshots?symbol=BTC',
    '/v1/api-keys/validate',
  ].map(
    (request): Row => ({
      section: '4.7',
      endpoint: request.split('?')[0],
      request,
      as: 'pro',
      shows: 'Bodies that the interface leaves open are published with their types, and kept to.',
      status: 200,
    }),
  ),
  {
    section: '9',
    endpoint: undefined,
    request: '/openapi.json',
    as: 'nobody',
    shows: 'The published interface has version 1.0.0.',
    status: 200,
    check: ({ body }) => {
      assert.equal(body.info.version, '1.0.0')
      const unversioned = Object.keys(body.paths).filter((path) => !path.startsWith('/v1/'))
      assert.deepEqual(
        unversioned.filter((path) => !/^\/(api|health)(\/|$)/.test(path)),
        [],
      )
    },
  },
]

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

const packs = rowsOf('2.8', [
  {
    endpoint: '/v1/payments/packs',
    request: '/v1/payments/packs',
    as: 'nobody',
    shows: 'The eight packs, each with its tier, price and credits; what each tier includes beside them.',
    status: 200,
    check: ({ body }) => {
      const found = body.packs.map(({ id, tier, priceUsd, credits }: Record<string, unknown>) => [
        id,
        tier,
        priceUsd,
        credits,
      ])
      assert.deepEqual(found, PACKS)
      assert.deepEqual(Object.keys(body.tiers), ['free', 'pro', 'scale', 'enterprise'])
      assert.partialDeepStrictEqual(body.tiers.pro, { rpm: 300, wsMax: 1, historyHours: 0, mcp: 'full', maxKeys: 5 })
      assert.equal(body.tiers.enterprise.creditsPerMonth, 5_000_000)
    },
  },
])

export const publicRows: readonly Row[] = [...publicEndpoints, ...figures, ...packs]

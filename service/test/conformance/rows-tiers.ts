import assert from 'node:assert/strict'
import { TIERS } from '../../src/domain/tier.ts'
import { ASKED_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { all, cellsOf, hasHeaders, isEmptyBecause } from './checks.ts'
import { COLUMNS } from './columns.ts'
import { type Row, rowsOf } from './row.ts'

const UPPER: readonly string[] = ['scale', 'enterprise']
const MEDIA = { csv: 'text/csv; charset=utf-8', tsv: 'text/tab-separated-values; charset=utf-8' } as const
const DELIMITERS = { csv: ',', tsv: '\t' } as const

const namesTiers: NonNullable<Row['check']> = ({ body }) => assert.deepEqual(body.details.allowed_tiers, UPPER)

const flatFiles: Row[] = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody').flatMap(({ path, request }) =>
  (['csv', 'tsv'] as const).flatMap((format) =>
    TIERS.map((tier): Row => {
      const row = { endpoint: path, request: withParameter(request, `format=${format}`), as: tier }
      if (!UPPER.includes(tier)) {
        return {
          ...row,
          section: '7',
          shows: 'Flat files are for the scale and enterprise tiers, on every endpoint.',
          status: 403,
          error: 'tier_not_allowed',
          check: namesTiers,
        }
      }
      return {
        ...row,
        section: '4.2',
        shows:
          'As csv or tsv: a line of names in an order that is part of the contract, a row for each item, the rest in headers.',
        status: 200,
        check: all(hasHeaders({ 'content-type': MEDIA[format], 'x-row-count': /^\d+$/ }), ({ text, headers }) => {
          const [names = [], ...cells] = cellsOf(text, DELIMITERS[format])
          // Columns that the interface does not list are fixed here.
          if (path in COLUMNS) assert.equal(names.join(','), COLUMNS[path])
          assert.equal(cells.length, Number(headers['x-row-count']))
          assert.ok(cells.every(({ length }) => length === names.length))
        }),
      }
    }),
  ),
)

const publicFlatFiles: Row[] = ASKED_ENDPOINTS.filter(({ as }) => as === 'nobody').map(({ path, request }) => ({
  section: '7',
  endpoint: path,
  request: withParameter(request, 'format=csv'),
  as: 'nobody',
  shows: 'Who shows no key has no tier that includes flat files.',
  status: 403,
  error: 'tier_not_allowed',
}))

const parquet: Row[] = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody').flatMap((endpoint): Row[] => {
  const row = { endpoint: endpoint.path, request: withParameter(endpoint.request, 'format=parquet') }
  if (endpoint.parquet === undefined) {
    return [
      {
        ...row,
        section: 'added',
        as: 'scale',
        shows: 'Parquet is refused where there is none, with the formats that there are.',
        status: 400,
        error: 'invalid_request',
      },
    ]
  }
  return TIERS.map((tier) => ({
    ...row,
    section: 'added',
    as: tier,
    shows: 'Parquet is for the same tiers as flat files.',
    ...(UPPER.includes(tier)
      ? { status: 200 }
      : { status: 403, error: 'tier_not_allowed' as const, check: namesTiers }),
  }))
})

const liveExchange = rowsOf(
  '4.4',
  TIERS.flatMap((tier) =>
    ['hyperliquid_perp', 'hyperliquid'].map((exchange) => ({
      endpoint: '/v1/exchange/orderbook',
      request: `/v1/exchange/orderbook?symbol=BTC&exchange=${exchange}`,
      as: tier,
      shows: 'The live book of a perp is for the scale and enterprise tiers.',
      ...(UPPER.includes(tier)
        ? { status: 200 }
        : { status: 403, error: 'tier_not_allowed' as const, check: namesTiers }),
    })),
  ),
)

/** Endpoints about one market: the same request about one of another category. */
const otherCategory: Row[] = ASKED_ENDPOINTS.flatMap((endpoint) => {
  const { path, category } = endpoint
  if (category === undefined) return []
  const request = endpoint.request.replace('{live.slug}', '{other.slug}').replace('{live}', '{other}')
  return TIERS.map((tier): Row => {
    const isRefused = tier === 'free'
    return {
      section: isRefused && category === 402 ? '4.3' : '7',
      endpoint: path,
      request,
      as: tier,
      shows: isRefused
        ? 'A market of a category outside the tier is refused by id and by slug: 403, on the snapshots list 402.'
        : 'Every category is included from the pro tier on.',
      ...(isRefused ? { status: category, error: 'tier_not_allowed' } : { status: 200 }),
    }
  })
})

const listedCategories = rowsOf('7', [
  ...['/v1/markets/live', '/v1/markets/history', '/v1/markets/history/recent'].flatMap(
    (list): Omit<Row, 'section'>[] => [
      {
        endpoint: list,
        request: `${list}?category={other.category}`,
        as: 'free',
        shows: 'A category outside the tier is refused when it is asked for by name.',
        status: 403,
        error: 'tier_not_allowed',
      },
      {
        endpoint: list,
        request: list,
        as: 'free',
        shows: 'Unasked, categories outside the tier are left out of a list, and a header names them.',
        status: 200,
        check: ({ body, headers }) => {
          const entries: { category: string }[] = Array.isArray(body) ? body : body.markets
          assert.ok(entries.length > 0 && entries.every(({ category }) => category === 'crypto'))
          assert.equal(headers['x-tier-scope-filtered'], 'sports,economics,weather,social,equities')
        },
      },
      {
        endpoint: list,
        request: `${list}?timeframe=daily-high`,
        as: 'free',
        shows: 'A list that is empty because of the tier says so.',
        status: 200,
        check: isEmptyBecause('tier'),
      },
    ],
  ),
  {
    endpoint: '/v1/asof',
    request: '/v1/asof?timestamp={two_seconds_ago}&markets={live},{other}',
    as: 'free',
    shows: 'One market outside the tier refuses the whole question.',
    status: 403,
    error: 'tier_not_allowed',
  },
])

const OLD_REQUESTS: readonly [endpoint: string, request: string][] = [
  ['/v1/markets/{id}/snapshots', '/v1/markets/{old}/snapshots?from={old.first}'],
  ['/api/snapshot', '/api/snapshot?timestamp={old.first}&marketId={old}'],
  ['/v1/markets/{id}/summary', '/v1/markets/{old}/summary'],
  ['/v1/exchange/snapshots', '/v1/exchange/snapshots?symbol=BTC&from={two_days_ago}'],
  ['/v1/markets/{id}/gaps', '/v1/markets/{old}/gaps?from={old.first}'],
  ['/v1/markets/{id}/bars', '/v1/markets/{old}/bars?from={old.first}'],
  ['/v1/trades', '/v1/trades?marketId={old}&from={old.first}'],
  ['/v1/asof', '/v1/asof?timestamp={old.first}&markets={old}'],
  ['/v1/markets/{id}/execution', '/v1/markets/{old}/execution?side=UP&action=buy&size=5&timestamp={old.first}'],
]

const history: Row[] = OLD_REQUESTS.flatMap(([endpoint, request]): Row[] => {
  const isPriced = endpoint === '/v1/markets/{id}/snapshots'
  return [
    {
      section: '8',
      endpoint,
      request,
      as: 'free',
      shows:
        'The free tier reaches 24 hours back; further back is refused, never clipped: 403, on the snapshots list 402.',
      status: isPriced ? 402 : 403,
      error: 'tier_not_allowed',
    },
    {
      section: '8',
      endpoint,
      request,
      as: 'pro',
      shows: 'From the pro tier on, history has no bound: 0 hours stands for none.',
      status: 200,
    },
  ]
})

export const tierRows: readonly Row[] = [
  ...flatFiles,
  ...publicFlatFiles,
  ...parquet,
  ...liveExchange,
  ...otherCategory,
  ...listedCategories,
  ...history,
]

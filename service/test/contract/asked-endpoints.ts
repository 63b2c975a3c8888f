import type { Tier } from '../../src/domain/tier.ts'
import { endpoints } from '../../src/endpoints/index.ts'
import { isOfSession } from '../../src/http/openapi-headers.ts'
import { SAMPLE } from './scene/made-sample.ts'

/** An endpoint with a request that gets a 200. */
export interface AskedEndpoint {
  readonly path: string
  /** A request that gets 200 for the caller `as`. */
  readonly request: string
  readonly as: 'nobody' | 'pro' | 'scale'
  /** Smallest and largest value of its `limit`. */
  readonly limit?: readonly [number, number]
  /** Status of the refusal when the market is outside the categories of the free tier. */
  readonly category?: 402 | 403
  readonly parquet?: true
  /** Tiers that have access to it. */
  readonly tiers?: readonly Tier[]
}

const UPPER = ['scale', 'enterprise'] as const

const NAMED: readonly AskedEndpoint[] = [
  { path: '/health', request: '/health', as: 'nobody' },
  { path: '/v1/public-stats', request: '/v1/public-stats', as: 'nobody' },
  { path: '/v1/status', request: '/v1/status', as: 'nobody' },
  { path: '/v1/payments/packs', request: '/v1/payments/packs', as: 'nobody' },
  { path: '/v1/categories', request: '/v1/categories', as: 'pro' },
  { path: '/v1/markets/live', request: '/v1/markets/live', as: 'pro', limit: [1, 5_000] },
  {
    path: '/v1/markets/by-slug/{slug}',
    request: '/v1/markets/by-slug/{live.slug}',
    as: 'pro',
    category: 403,
  },
  {
    path: '/v1/markets/by-slug/{slug}/orderbook',
    request: '/v1/markets/by-slug/{live.slug}/orderbook',
    as: 'pro',
    category: 403,
  },
  {
    path: '/v1/markets/{id}/orderbook',
    request: '/v1/markets/{live}/orderbook',
    as: 'pro',
    category: 403,
  },
  { path: '/v1/markets/{id}/summary', request: '/v1/markets/{live}/summary', as: 'pro', category: 403 },
  {
    path: '/v1/markets/history/recent',
    request: '/v1/markets/history/recent',
    as: 'pro',
    limit: [1, 5_000],
  },
  { path: '/v1/markets/history', request: '/v1/markets/history', as: 'pro', limit: [1, 5_000] },
  {
    path: '/v1/markets/{id}/snapshots',
    request: '/v1/markets/{live}/snapshots',
    as: 'pro',
    limit: [1, 500],
    category: 402,
    parquet: true,
  },
  {
    path: '/api/snapshot',
    request: '/api/snapshot?timestamp={two_seconds_ago}&marketId={live}',
    as: 'pro',
    category: 403,
  },
  { path: '/api/snapshot/latest', request: '/api/snapshot/latest', as: 'pro' },
  { path: '/api/debug', request: '/api/debug', as: 'pro' },
  { path: '/v1/stats', request: '/v1/stats', as: 'pro' },
  {
    path: '/v1/exchange/orderbook',
    request: '/v1/exchange/orderbook?symbol=BTC&exchange=hyperliquid_perp',
    as: 'scale',
    tiers: UPPER,
  },
  {
    path: '/v1/exchange/snapshots',
    request: '/v1/exchange/snapshots?symbol=BTC',
    as: 'pro',
    limit: [1, 500],
  },
  { path: '/v1/api-keys/validate', request: '/v1/api-keys/validate', as: 'pro' },
  { path: '/health/live', request: '/health/live', as: 'nobody' },
  { path: '/health/ready', request: '/health/ready', as: 'nobody' },
  { path: '/v1/quotes', request: '/v1/quotes', as: 'pro', limit: [1, 500] },
  { path: '/v1/events', request: '/v1/events', as: 'pro', limit: [1, 500] },
  {
    path: '/v1/events/{event}',
    request: '/v1/events/{live.event}',
    as: 'pro',
    limit: [1, 500],
  },
  {
    path: '/v1/markets/search',
    request: '/v1/markets/search?q=bitcoin',
    as: 'pro',
    limit: [1, 100],
  },
  ...['trades', 'funding', 'open-interest', 'prices'].map((series) => ({
    path: `/v1/exchange/${series}`,
    request: `/v1/exchange/${series}?symbol=BTC`,
    as: 'pro' as const,
    limit: [1, 500] as const,
  })),
  {
    path: '/v1/exchange/bars',
    request: '/v1/exchange/bars?symbol=BTC&interval=1s',
    as: 'pro',
    limit: [1, 1_000],
  },
  {
    path: '/v1/exchange/gaps',
    request: '/v1/exchange/gaps?symbol=ZEC',
    as: 'pro',
    limit: [1, 5_000],
  },
  {
    path: '/v1/prices',
    request: '/v1/prices?coin=BTC&source=chainlink',
    as: 'pro',
    limit: [1, 5_000],
  },
  { path: '/v1/samples/{sample}', request: `/v1/samples/${SAMPLE}`, as: 'nobody' },
  { path: '/v1/samples/{sample}/heatmap', request: `/v1/samples/${SAMPLE}/heatmap`, as: 'nobody' },
  {
    path: '/v1/samples/{sample}/file',
    request: `/v1/samples/${SAMPLE}/file?dry_run=true`,
    as: 'nobody',
  },
  { path: '/v1/limits', request: '/v1/limits', as: 'pro' },
  { path: '/v1/credits', request: '/v1/credits', as: 'pro', limit: [1, 500] },
  { path: '/v1/asof', request: '/v1/asof?timestamp={two_seconds_ago}&markets={live}', as: 'pro' },
  {
    path: '/v1/markets/{id}/execution',
    request: '/v1/markets/{live}/execution?side=UP&action=buy&size=5',
    as: 'pro',
    category: 403,
  },
  {
    path: '/v1/markets/{id}/gaps',
    request: '/v1/markets/{live}/gaps',
    as: 'pro',
    limit: [1, 5_000],
    category: 403,
  },
  {
    path: '/v1/markets/{id}/bars',
    request: '/v1/markets/{live}/bars?interval=1s',
    as: 'pro',
    limit: [1, 1_000],
    category: 403,
    parquet: true,
  },
  { path: '/v1/trades', request: '/v1/trades?marketId={live}', as: 'pro', limit: [1, 500] },
  {
    path: '/v1/markets/{id}/export',
    request: '/v1/markets/{closed}/export?hour={hour}&part=gaps',
    as: 'pro',
  },
  {
    path: '/v1/exchange/export',
    request: '/v1/exchange/export?symbol=ZEC&hour={perp.hour}&part=gaps',
    as: 'pro',
  },
  { path: '/v1/exchange/coverage', request: '/v1/exchange/coverage?symbol=BTC', as: 'pro' },
  {
    path: '/v1/exchange/heatmap',
    request: '/v1/exchange/heatmap?symbol=BTC&from={perp.first}',
    as: 'pro',
  },
  {
    path: '/v1/markets/{id}/heatmap',
    request: '/v1/markets/{live}/heatmap?from={two_seconds_ago}',
    as: 'pro',
    category: 403,
  },
  { path: '/v1/files', request: '/v1/files', as: 'pro', limit: [1, 1_000] },
  { path: '/v1/corrections', request: '/v1/corrections', as: 'nobody', limit: [1, 1_000] },
  { path: '/v1/manifests', request: '/v1/manifests', as: 'nobody', limit: [1, 1_000] },
  { path: '/v1/files/{id}', request: '/v1/files/{file}?part=about', as: 'pro' },
  { path: '/v1/files/{id}/proof', request: '/v1/files/{file}/proof', as: 'nobody' },
]

/** An additional endpoint that needs only a market is tested without being listed here. */
const UNNAMED: readonly AskedEndpoint[] = endpoints
  .filter(
    (endpoint) =>
      endpoint.method === 'GET' && !isOfSession(endpoint) && NAMED.every(({ path }) => path !== endpoint.path),
  )
  .map(({ path, access }) => ({
    path,
    request: path.replace('{id}', '{live}').replace('{slug}', '{live.slug}'),
    as: access === 'public' ? 'nobody' : 'pro',
    ...(path.includes('{id}') && { category: 403 }),
  }))

/** Endpoints of a browser session; a caller without one is refused before anything else is checked. */
export const SESSION_ENDPOINTS = endpoints.filter(isOfSession).map(({ method, path }) => ({
  method,
  path,
  request: path.replace(/\{\w+\}/, '0f8b1a52-5f1b-4c7e-9d3a-1f2e3d4c5b6a'),
}))

export const ASKED_ENDPOINTS: readonly AskedEndpoint[] = [...NAMED, ...UNNAMED]

/** A request with one more parameter. */
export function withParameter(request: string, parameter: string): string {
  return `${request}${request.includes('?') ? '&' : '?'}${parameter}`
}

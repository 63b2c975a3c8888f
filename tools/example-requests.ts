import type { Endpoint } from '@bookreel/service/endpoints/endpoint'
import { describeEndpoint } from '@bookreel/service/http/endpoint-descriptions'

/** Ids that exist while the examples are recorded. */
export interface ExampleScene {
  readonly marketId: string
  readonly slug: string
  readonly invoiceId: string
  readonly nowMs: number
}

const HOUR_MS = 3_600_000

/** The request whose answer becomes the example of an operation. Throws when a parameter has no sample here. */
export function exampleRequest(endpoint: Endpoint, scene: ExampleScene): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sampleOf(endpoint, name, scene))
  const search = new URLSearchParams(searchOf(endpoint, scene))
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

function searchOf(endpoint: Endpoint, scene: ExampleScene): [name: string, value: string][] {
  const chosen = ['limit', ...(CHOSEN[endpoint.name] ?? [])]
  return describeEndpoint(endpoint)
    .parameters.filter((name) => name.endsWith('*') || chosen.includes(name))
    .map((name) => name.replace('*', ''))
    .map((name) => [name, sampleOf(endpoint, name, scene)])
}

/** Optional parameters that make a better example. */
const CHOSEN: Readonly<Record<string, readonly string[]>> = {
  list_live_markets: ['crypto', 'timeframe'],
  list_latest_snapshots: ['crypto', 'timeframe'],
  get_execution_price: ['size'],
  export_hour: ['dry_run'],
}

function sampleOf(
  { name: operation }: Endpoint,
  name: string,
  { marketId, slug, invoiceId, nowMs }: ExampleScene,
): string {
  const samples: Readonly<Record<string, string>> = {
    id: marketId,
    marketId,
    markets: marketId,
    slug,
    invoice_id: invoiceId,
    crypto: 'BTC',
    symbol: 'BTC',
    timeframe: '5m',
    exchange: 'hyperliquid_perp',
    side: 'UP',
    action: 'buy',
    size: '100',
    dry_run: 'true',
    limit: '4',
    timestamp: new Date(nowMs - 5_000).toISOString(),
    hour: new Date(Math.floor(nowMs / HOUR_MS - 2) * HOUR_MS).toISOString(),
  }
  const sample = samples[name]
  if (sample === undefined) throw new Error(`${operation}: tools/example-requests.ts has no sample for ${name}`)
  return sample
}

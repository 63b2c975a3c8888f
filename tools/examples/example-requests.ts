import type { SentRequest } from './send.ts'

/** Who sends the request: nobody known, the key of a pro or scale account, or a signed-in browser. */
type Sender = 'anyone' | 'pro' | 'scale' | 'session'

/** Values that differ in every service; requests name them as `$MARKET`. */
export interface ExampleValues {
  /** Condition id of the open one-hour Bitcoin window. */
  readonly MARKET: string
  /** Condition id of a finished one-hour Bitcoin window. */
  readonly PAST_MARKET: string
  /** Id of the sample. */
  readonly SAMPLE: string
  /** Slug of an event with several markets. */
  readonly EVENT: string
  /** Start of that window. */
  readonly HOUR: string
  /** Start of the gap of that window. */
  readonly GAP: string
  /** Ten seconds ago, in epoch seconds. */
  readonly TIME: string
  /** Id of the file of a series. */
  readonly FILE: string
  /** Id of an API key of the signed-in user. */
  readonly KEY_ID: string
  /** Id of an invoice of the signed-in user. */
  readonly INVOICE: string
}

export interface ExampleRequest {
  readonly operation: string
  /** Name of a further example of the operation. */
  readonly variant?: string
  /** Shown above a further example. */
  readonly title?: string
  readonly as: Sender
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path and query with `$NAME` for values. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

function get(operation: string, path: string, as: Sender = 'pro'): ExampleRequest {
  return { operation, method: 'GET', path, as }
}

/** The same request in the declared form. */
function declared(request: ExampleRequest): ExampleRequest {
  const path = `${request.path}${request.path.includes('?') ? '&' : '?'}form=declared`
  return { ...request, path, variant: 'declared', title: 'In the declared form' }
}

const LIVE_MARKETS = get('list_live_markets', '/v1/markets/live?crypto=BTC&limit=2')
const ORDERBOOK_BY_SLUG = get('get_orderbook_by_slug', '/v1/markets/by-slug/eth-updown-15m/orderbook')
const ORDERBOOK = get('get_orderbook', '/v1/markets/$MARKET/orderbook')
const SNAPSHOTS = get('list_snapshots', '/v1/markets/$PAST_MARKET/snapshots?from=$GAP&limit=2')
const SNAPSHOT = get('get_snapshot', '/api/snapshot?marketId=$MARKET&timestamp=$TIME')
const LATEST = get('list_latest_snapshots', '/api/snapshot/latest?crypto=BTC&timeframe=5m')

/** The request of each operation whose answer is its example, in the order in which they are sent. */
export const EXAMPLE_REQUESTS: readonly ExampleRequest[] = [
  get('get_health', '/health', 'anyone'),
  get('get_liveness', '/health/live', 'anyone'),
  get('get_readiness', '/health/ready', 'anyone'),
  get('get_public_stats', '/v1/public-stats', 'anyone'),
  get('get_status', '/v1/status', 'anyone'),
  get('list_packs', '/v1/payments/packs', 'anyone'),
  get('list_currencies', '/v1/payments/currencies', 'anyone'),
  get('list_samples', '/v1/samples', 'anyone'),
  get('get_sample', '/v1/samples/$SAMPLE', 'anyone'),
  get('get_sample_heatmap', '/v1/samples/$SAMPLE/heatmap', 'anyone'),
  get('get_sample_file', '/v1/samples/$SAMPLE/file?dry_run=true', 'anyone'),
  get('list_corrections', '/v1/corrections', 'anyone'),
  get('get_stats', '/v1/stats'),
  get('get_debug', '/api/debug'),
  get('list_categories', '/v1/categories'),
  LIVE_MARKETS,
  declared(LIVE_MARKETS),
  get('list_quotes', '/v1/quotes?crypto=BTC&limit=2'),
  get('search_markets', '/v1/markets/search?q=bitcoin&limit=2'),
  get('list_events', '/v1/events?category=sports&limit=2'),
  get('get_event', '/v1/events/$EVENT?limit=2'),
  get('get_market', '/v1/markets/by-slug/btc-updown-5m'),
  {
    ...get('get_market', '/v1/markets/by-slug/$PAST_MARKET'),
    variant: 'closed',
    title: 'A closed market, by its condition id',
  },
  ORDERBOOK_BY_SLUG,
  declared(ORDERBOOK_BY_SLUG),
  ORDERBOOK,
  declared(ORDERBOOK),
  get('get_market_depth', '/v1/markets/$MARKET/depth?within=0.05'),
  get('get_market_summary', '/v1/markets/$MARKET/summary'),
  get('list_market_history', '/v1/markets/history?crypto=BTC&status=closed&limit=2'),
  {
    ...get('list_market_history', '/v1/markets/history?crypto=BTC&timeframe=1h&status=closed&results=true&limit=1'),
    variant: 'results',
    title: 'With outcome, price to beat and settlement price',
  },
  get('list_recent_markets', '/v1/markets/history/recent?category=sports&limit=2'),
  SNAPSHOTS,
  declared(SNAPSHOTS),
  {
    ...get('list_snapshots', '/v1/markets/$MARKET/snapshots?dry_run=true'),
    variant: 'dry_run',
    title: 'What the whole range would cost',
  },
  SNAPSHOT,
  declared(SNAPSHOT),
  LATEST,
  declared(LATEST),
  get('get_exchange_orderbook', '/v1/exchange/orderbook?symbol=BTC&exchange=hyperliquid_perp', 'scale'),
  get('list_exchange_snapshots', '/v1/exchange/snapshots?symbol=ETH&limit=2'),
  get('get_exchange_coverage', '/v1/exchange/coverage?symbol=BTC&by=hour'),
  get('get_exchange_heatmap', '/v1/exchange/heatmap?symbol=SOL&from=$HOUR', 'scale'),
  get('list_exchange_trades', '/v1/exchange/trades?symbol=BTC&limit=2', 'scale'),
  get('list_exchange_funding', '/v1/exchange/funding?symbol=BTC&limit=2', 'scale'),
  get('list_exchange_open_interest', '/v1/exchange/open-interest?symbol=ETH&limit=2', 'scale'),
  get('list_exchange_bars', '/v1/exchange/bars?symbol=BTC&interval=10s&limit=2', 'scale'),
  get('list_exchange_gaps', '/v1/exchange/gaps?symbol=SOL&from=$HOUR', 'scale'),
  get('export_exchange_hour', '/v1/exchange/export?symbol=SOL&hour=$HOUR&dry_run=true', 'scale'),
  get('list_exchange_prices', '/v1/exchange/prices?symbol=SOL&from=$HOUR&limit=2', 'scale'),
  get('get_execution_price', '/v1/markets/$MARKET/execution?side=UP&action=buy&size=100'),
  get('get_asof', '/v1/asof?markets=$MARKET,eth-updown-15m&timestamp=$TIME'),
  get('list_bars', '/v1/markets/$MARKET/bars?interval=10s&limit=2'),
  get('list_trades', '/v1/trades?marketId=$PAST_MARKET&from=$GAP&limit=2'),
  get('list_prices', '/v1/prices?coin=BTC&source=chainlink&limit=2'),
  get('list_gaps', '/v1/markets/$MARKET/gaps?cause=hash_mismatch'),
  get('get_market_coverage', '/v1/markets/$MARKET/coverage?by=hour'),
  get('list_coverage', '/v1/coverage?by=hour&from=$HOUR', 'anyone'),
  get('get_market_heatmap', '/v1/markets/$PAST_MARKET/heatmap?from=$HOUR'),
  {
    operation: 'estimate',
    method: 'POST',
    path: '/v1/estimate',
    as: 'scale',
    body: { product: 'hours', markets: ['$PAST_MARKET'], from: '$HOUR', to: '$TIME' },
  },
  get('export_hour', '/v1/markets/$PAST_MARKET/export?hour=$HOUR&dry_run=true', 'scale'),
  get('list_files', '/v1/files?coin=BTC&timeframe=5m'),
  get('download_file', '/v1/files/$FILE?part=about'),
  get('get_file_proof', '/v1/files/$FILE/proof', 'anyone'),
  get('list_manifests', '/v1/manifests', 'anyone'),
  get('get_limits', '/v1/limits'),
  get('get_usage', '/v1/usage'),
  get('list_credits', '/v1/credits?limit=3'),
  get('validate_key', '/v1/api-keys/validate'),
  {
    operation: 'create_api_key',
    method: 'POST',
    path: '/v1/api-keys',
    as: 'session',
    body: { label: 'notebook', scopes: ['live', 'history'] },
  },
  get('list_api_keys', '/v1/api-keys', 'session'),
  {
    operation: 'change_api_key',
    method: 'PATCH',
    path: '/v1/api-keys/$KEY_ID',
    as: 'session',
    body: { label: 'bot', creditLimit: 20_000 },
  },
  {
    operation: 'rotate_api_key',
    method: 'POST',
    path: '/v1/api-keys/$KEY_ID/rotate',
    as: 'session',
    body: { overlapSeconds: 600 },
  },
  get('list_account_events', '/v1/account/events?limit=5', 'session'),
  get('get_user_tier', '/v1/user/tier', 'session'),
  get('get_subscription', '/v1/payments/subscription', 'session'),
  {
    operation: 'create_invoice',
    method: 'POST',
    path: '/v1/payments/create-invoice',
    as: 'session',
    body: { pack: 'credits_10k' },
  },
  get('list_invoices', '/v1/payments/invoices', 'session'),
  get('get_invoice', '/v1/payments/invoices/$INVOICE', 'session'),
  { operation: 'revoke_api_key', method: 'DELETE', path: '/v1/api-keys/$KEY_ID', as: 'session' },
]

/** Name of the file of an example, without `.json`. */
export function exampleName({ operation, variant }: ExampleRequest): string {
  return variant === undefined ? operation : `${operation}.${variant}`
}

/** The request with the values of one service. Throws when a value is missing. */
export function filled(text: string, values: Partial<ExampleValues>): string {
  return text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => {
    const value = values[name as keyof ExampleValues]
    if (value === undefined) throw new Error(`no value for $${name}`)
    return value
  })
}

/** The headers that a request needs besides its credentials. */
export function headersOf({ as, method, body }: ExampleRequest, origin: string): SentRequest['headers'] {
  return {
    ...(as === 'session' && method !== 'GET' && { Origin: origin, 'X-Requested-With': 'bookreel' }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  }
}

// Made by `npm run docs`, from the OpenAPI document. Changes here are lost.

import type { Operation } from '../operation.ts'
import type { OperationInputs } from './api-types.ts'

export const OPERATIONS = {
  get_health: { name: 'get_health', path: '/health', isPriced: false, otherStatuses: [503] },
  get_liveness: { name: 'get_liveness', path: '/health/live', isPriced: false },
  get_readiness: { name: 'get_readiness', path: '/health/ready', isPriced: false, otherStatuses: [503] },
  get_public_stats: { name: 'get_public_stats', path: '/v1/public-stats', isPriced: false },
  get_status: { name: 'get_status', path: '/v1/status', isPriced: false },
  get_stats: { name: 'get_stats', path: '/v1/stats', isPriced: false },
  get_debug: { name: 'get_debug', path: '/api/debug', isPriced: false },
  list_packs: { name: 'list_packs', path: '/v1/payments/packs', isPriced: false },
  list_categories: { name: 'list_categories', path: '/v1/categories', isPriced: false },
  list_live_markets: { name: 'list_live_markets', path: '/v1/markets/live', isPriced: false },
  get_market: { name: 'get_market', path: '/v1/markets/by-slug/{slug}', isPriced: false },
  get_orderbook_by_slug: { name: 'get_orderbook_by_slug', path: '/v1/markets/by-slug/{slug}/orderbook', isPriced: false },
  get_orderbook: { name: 'get_orderbook', path: '/v1/markets/{id}/orderbook', isPriced: false },
  get_market_depth: { name: 'get_market_depth', path: '/v1/markets/{id}/depth', isPriced: false },
  get_market_summary: { name: 'get_market_summary', path: '/v1/markets/{id}/summary', isPriced: false },
  list_market_history: { name: 'list_market_history', path: '/v1/markets/history', isPriced: false, pages: { member: 'markets', limit: 5000 } },
  list_recent_markets: { name: 'list_recent_markets', path: '/v1/markets/history/recent', isPriced: false, pages: { member: 'markets', limit: 5000 } },
  list_snapshots: { name: 'list_snapshots', path: '/v1/markets/{id}/snapshots', isPriced: true, pages: { member: 'snapshots', limit: 500 } },
  get_snapshot: { name: 'get_snapshot', path: '/api/snapshot', isPriced: false },
  list_latest_snapshots: { name: 'list_latest_snapshots', path: '/api/snapshot/latest', isPriced: false },
  get_exchange_orderbook: { name: 'get_exchange_orderbook', path: '/v1/exchange/orderbook', isPriced: false },
  list_exchange_snapshots: { name: 'list_exchange_snapshots', path: '/v1/exchange/snapshots', isPriced: false, pages: { limit: 500 } },
  get_execution_price: { name: 'get_execution_price', path: '/v1/markets/{id}/execution', isPriced: false },
  get_asof: { name: 'get_asof', path: '/v1/asof', isPriced: false },
  list_bars: { name: 'list_bars', path: '/v1/markets/{id}/bars', isPriced: false, pages: { member: 'bars', limit: 1000 } },
  list_trades: { name: 'list_trades', path: '/v1/trades', isPriced: false, pages: { member: 'trades', limit: 500 } },
  list_gaps: { name: 'list_gaps', path: '/v1/markets/{id}/gaps', isPriced: false, pages: { member: 'gaps', limit: 5000 } },
  export_hour: { name: 'export_hour', path: '/v1/markets/{id}/export', isPriced: true },
  list_corrections: { name: 'list_corrections', path: '/v1/corrections', isPriced: false, pages: { member: 'corrections', limit: 1000 } },
  get_limits: { name: 'get_limits', path: '/v1/limits', isPriced: false },
  get_usage: { name: 'get_usage', path: '/v1/usage', isPriced: false },
  validate_key: { name: 'validate_key', path: '/v1/api-keys/validate', isPriced: false },
} as const satisfies Record<keyof OperationInputs, Operation>

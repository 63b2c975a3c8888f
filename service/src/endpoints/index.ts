import { createApiKey } from './account/create-api-key.ts'
import { createInvoice } from './account/create-invoice.ts'
import { getInvoice } from './account/get-invoice.ts'
import { getSubscription } from './account/get-subscription.ts'
import { getUsage } from './account/get-usage.ts'
import { getUserTier } from './account/get-user-tier.ts'
import { listApiKeys } from './account/list-api-keys.ts'
import { revokeApiKey } from './account/revoke-api-key.ts'
import { getAsof } from './as-of/get-asof.ts'
import { listBars } from './bars/list-bars.ts'
import type { Endpoint } from './endpoint.ts'
import { getExchangeOrderbook } from './exchange/get-exchange-orderbook.ts'
import { listExchangeSnapshots } from './exchange/list-exchange-snapshots.ts'
import { getExecutionPrice } from './execution/get-execution-price.ts'
import { exportHour } from './export/export-hour.ts'
import { listGaps } from './gaps/list-gaps.ts'
import { getLimits } from './key/get-limits.ts'
import { validateKey } from './key/validate-key.ts'
import { getMarket } from './markets/get-market.ts'
import { getMarketDepth } from './markets/get-market-depth.ts'
import { getMarketOrderbook } from './markets/get-market-orderbook.ts'
import { getMarketOrderbookBySlug } from './markets/get-market-orderbook-by-slug.ts'
import { getMarketSummary } from './markets/get-market-summary.ts'
import { listCategories } from './markets/list-categories.ts'
import { listLiveMarkets } from './markets/list-live-markets.ts'
import { listMarketHistory } from './markets/list-market-history.ts'
import { listRecentMarkets } from './markets/list-recent-markets.ts'
import { getHealth } from './public/get-health.ts'
import { getLiveness } from './public/get-liveness.ts'
import { getPublicStats } from './public/get-public-stats.ts'
import { getReadiness } from './public/get-readiness.ts'
import { getStatus } from './public/get-status.ts'
import { listPacks } from './public/list-packs.ts'
import { getSnapshot } from './snapshots/get-snapshot.ts'
import { listLatestSnapshots } from './snapshots/list-latest-snapshots.ts'
import { listSnapshots } from './snapshots/list-snapshots.ts'
import { getDebug } from './system/get-debug.ts'
import { getStats } from './system/get-stats.ts'
import { listTrades } from './trades/list-trades.ts'

/** Everything that can be asked. Routes, OpenAPI, the tables in the docs and the MCP tools are made from this list. */
export const endpoints: readonly Endpoint[] = [
  getHealth,
  getLiveness,
  getReadiness,
  getPublicStats,
  getStatus,
  getStats,
  getDebug,
  listPacks,
  listCategories,
  listLiveMarkets,
  getMarket,
  getMarketOrderbookBySlug,
  getMarketOrderbook,
  getMarketDepth,
  getMarketSummary,
  listMarketHistory,
  listRecentMarkets,
  listSnapshots,
  getSnapshot,
  listLatestSnapshots,
  getExchangeOrderbook,
  listExchangeSnapshots,
  getExecutionPrice,
  getAsof,
  listBars,
  listTrades,
  listGaps,
  exportHour,
  getLimits,
  getUsage,
  validateKey,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  getUserTier,
  getSubscription,
  createInvoice,
  getInvoice,
]

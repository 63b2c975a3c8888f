import { changeApiKey } from './account/change-api-key.ts'
import { createApiKey } from './account/create-api-key.ts'
import { createInvoice } from './account/create-invoice.ts'
import { getInvoice } from './account/get-invoice.ts'
import { getLimits } from './account/get-limits.ts'
import { getSubscription } from './account/get-subscription.ts'
import { getUsage } from './account/get-usage.ts'
import { getUserTier } from './account/get-user-tier.ts'
import { listAccountEvents } from './account/list-account-events.ts'
import { listApiKeys } from './account/list-api-keys.ts'
import { listCredits } from './account/list-credits.ts'
import { listInvoices } from './account/list-invoices.ts'
import { revokeApiKey } from './account/revoke-api-key.ts'
import { rotateApiKey } from './account/rotate-api-key.ts'
import { validateKey } from './account/validate-key.ts'
import type { Endpoint } from './endpoint.ts'
import { exportExchangeHour } from './exchange/export-exchange-hour.ts'
import { getExchangeCoverage } from './exchange/get-exchange-coverage.ts'
import { getExchangeHeatmap } from './exchange/get-exchange-heatmap.ts'
import { getExchangeOrderbook } from './exchange/get-exchange-orderbook.ts'
import { listExchangeBars } from './exchange/list-exchange-bars.ts'
import { listExchangeFunding } from './exchange/list-exchange-funding.ts'
import { listExchangeGaps } from './exchange/list-exchange-gaps.ts'
import { listExchangeOpenInterest } from './exchange/list-exchange-open-interest.ts'
import { listExchangePrices } from './exchange/list-exchange-prices.ts'
import { listExchangeSnapshots } from './exchange/list-exchange-snapshots.ts'
import { listExchangeTrades } from './exchange/list-exchange-trades.ts'
import { downloadFile } from './files/download-file.ts'
import { getFileProof } from './files/get-file-proof.ts'
import { listFiles } from './files/list-files.ts'
import { listManifests } from './files/list-manifests.ts'
import { estimate } from './history/estimate.ts'
import { exportHour } from './history/export-hour.ts'
import { getAsof } from './history/get-asof.ts'
import { getMarketCoverage } from './history/get-market-coverage.ts'
import { getMarketHeatmap } from './history/get-market-heatmap.ts'
import { listBars } from './history/list-bars.ts'
import { listCorrections } from './history/list-corrections.ts'
import { listCoverage } from './history/list-coverage.ts'
import { listGaps } from './history/list-gaps.ts'
import { listPrices } from './history/list-prices.ts'
import { listTrades } from './history/list-trades.ts'
import { getEvent } from './markets/get-event.ts'
import { getExecutionPrice } from './markets/get-execution-price.ts'
import { getMarket } from './markets/get-market.ts'
import { getMarketDepth } from './markets/get-market-depth.ts'
import { getMarketOrderbook } from './markets/get-market-orderbook.ts'
import { getMarketOrderbookBySlug } from './markets/get-market-orderbook-by-slug.ts'
import { getMarketSummary } from './markets/get-market-summary.ts'
import { listCategories } from './markets/list-categories.ts'
import { listEvents } from './markets/list-events.ts'
import { listLiveMarkets } from './markets/list-live-markets.ts'
import { listMarketHistory } from './markets/list-market-history.ts'
import { listQuotes } from './markets/list-quotes.ts'
import { listRecentMarkets } from './markets/list-recent-markets.ts'
import { searchMarkets } from './markets/search-markets.ts'
import { getDebug } from './platform/get-debug.ts'
import { getHealth } from './platform/get-health.ts'
import { getLiveness } from './platform/get-liveness.ts'
import { getPublicStats } from './platform/get-public-stats.ts'
import { getReadiness } from './platform/get-readiness.ts'
import { getStats } from './platform/get-stats.ts'
import { getStatus } from './platform/get-status.ts'
import { listCurrencies } from './platform/list-currencies.ts'
import { listPacks } from './platform/list-packs.ts'
import { getSample } from './samples/get-sample.ts'
import { getSampleFile } from './samples/get-sample-file.ts'
import { getSampleHeatmap } from './samples/get-sample-heatmap.ts'
import { listSamples } from './samples/list-samples.ts'
import { getSnapshot } from './snapshots/get-snapshot.ts'
import { listLatestSnapshots } from './snapshots/list-latest-snapshots.ts'
import { listSnapshots } from './snapshots/list-snapshots.ts'

/** All endpoints. Routes, OpenAPI, the documentation and the MCP tools are derived from this list. */
export const endpoints: readonly Endpoint[] = [
  getHealth,
  getLiveness,
  getReadiness,
  getPublicStats,
  getStatus,
  getStats,
  getDebug,
  listPacks,
  listCurrencies,
  listSamples,
  getSample,
  getSampleHeatmap,
  getSampleFile,
  listCategories,
  listLiveMarkets,
  listQuotes,
  searchMarkets,
  listEvents,
  getEvent,
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
  getExchangeCoverage,
  getExchangeHeatmap,
  listExchangeTrades,
  listExchangeFunding,
  listExchangeOpenInterest,
  listExchangePrices,
  listExchangeBars,
  listExchangeGaps,
  exportExchangeHour,
  getExecutionPrice,
  getAsof,
  listBars,
  listTrades,
  listPrices,
  listGaps,
  getMarketCoverage,
  listCoverage,
  estimate,
  getMarketHeatmap,
  exportHour,
  listCorrections,
  listFiles,
  downloadFile,
  getFileProof,
  listManifests,
  getLimits,
  getUsage,
  listCredits,
  validateKey,
  listApiKeys,
  createApiKey,
  changeApiKey,
  rotateApiKey,
  revokeApiKey,
  listAccountEvents,
  getUserTier,
  getSubscription,
  createInvoice,
  listInvoices,
  getInvoice,
]

import { getLimits } from '../endpoints/account/get-limits.ts'
import { getExchangeOrderbook } from '../endpoints/exchange/get-exchange-orderbook.ts'
import { listExchangeSnapshots } from '../endpoints/exchange/list-exchange-snapshots.ts'
import { getAsof } from '../endpoints/history/get-asof.ts'
import { listBars } from '../endpoints/history/list-bars.ts'
import { listGaps } from '../endpoints/history/list-gaps.ts'
import { listTrades } from '../endpoints/history/list-trades.ts'
import { getExecutionPrice } from '../endpoints/markets/get-execution-price.ts'
import { getMarket } from '../endpoints/markets/get-market.ts'
import { getMarketOrderbookBySlug } from '../endpoints/markets/get-market-orderbook-by-slug.ts'
import { listCategories } from '../endpoints/markets/list-categories.ts'
import { listLiveMarkets } from '../endpoints/markets/list-live-markets.ts'
import { listMarketHistory } from '../endpoints/markets/list-market-history.ts'
import { searchMarkets } from '../endpoints/markets/search-markets.ts'
import { listSnapshots } from '../endpoints/snapshots/list-snapshots.ts'
import { DEFAULT_PERP_VENUE } from '../venue-registry.ts'
import { endpointTool, type ToolPlan } from './endpoint-tool.ts'
import { estimate } from './estimate.ts'
import { namePages, offsetPages, storePages } from './paging.ts'
import type { Tool } from './tool.ts'

/** Equal in all rows, and also given beside the rows. */
const IDS_IN_ROWS = ['condition_id', 'token_id']

const UNKNOWN_MARKETS =
  'No market has the id or slug of the entries with status unknown. Find markets with list_market_history.'

function hasUnknown(body: unknown): boolean {
  return (body as { markets: readonly { status: string }[] }).markets.some(({ status }) => status === 'unknown')
}

const PLANS: readonly ToolPlan[] = [
  {
    endpoint: listCategories,
    title: 'Categories',
    use: 'Lists the recorded categories of markets, sampling interval and number of open markets. Use it first when you do not know what exists.',
  },
  {
    endpoint: searchMarkets,
    title: 'Search markets',
    use: 'Finds open markets by words, best match first; misspelled words, too. Use it when you know what a market is about. Pass market_id or slug as market to the other tools.',
    paging: offsetPages({ usual: 10, most: 50 }),
    hides: ['subcategory', 'crypto', 'timeframe', 'status'],
    omit: ['score'],
  },
  {
    endpoint: listLiveMarkets,
    title: 'Live markets',
    use: 'Lists the markets that are open now; the market that ends first comes first. Use it to find a market: coin=BTC, timeframe=5m, limit=1 returns the current five-minute Bitcoin window. Pass conditionId or slug as market to the other tools.',
    paging: storePages(undefined, { usual: 15, most: 100 }),
    hides: ['results', 'offset'],
    omit: ['tokenIds', 'configId', 'expired'],
  },
  {
    endpoint: getMarket,
    title: 'One market',
    use: 'Returns one market, open or closed: times, outcomes, token ids, and the winner when it is known. Then use get_orderbook for its live book or list_bars for its prices.',
    omit: ['token_ids'],
  },
  {
    endpoint: getMarketOrderbookBySlug,
    name: 'get_orderbook',
    title: 'Live order book',
    use: 'Returns both live books (UP and DOWN) of an open market. For a time in the past use get_asof.',
    hasLadders: true,
    omit: ['marketId', 'cryptoPrice', 'timestamp'],
  },
  {
    endpoint: getExecutionPrice,
    title: 'Execution price of an order',
    use: 'Computes the mean price, slippage and filled size of an order from the whole book, now or in the past. Give either size (shares) or notional (USD). Nothing is traded.',
  },
  {
    endpoint: getExchangeOrderbook,
    title: 'Live book of a perpetual future',
    use: 'Returns the live book of a coin’s perpetual future. Use it to compare a crypto market with its underlying.',
    hasLadders: true,
    hides: ['exchange'],
    fixed: { exchange: DEFAULT_PERP_VENUE },
  },
  {
    endpoint: getLimits,
    title: 'Limits of this key',
    use: 'Returns tier, history and categories of this key, and the requests, credits and free books that remain. Use it before a long task.',
  },
  {
    endpoint: listMarketHistory,
    title: 'Recorded markets',
    use: 'Lists all recorded markets, open and closed, newest first, with the amount of recorded data. Use it to find markets of the past, then list_bars or list_snapshots.',
    paging: storePages('markets', { usual: 20, most: 100 }),
    hides: ['results', 'complete'],
  },
  {
    endpoint: listSnapshots,
    title: 'Stored books',
    use: 'Lists stored books of a market by time, with all gaps. Use it only when you need the levels at many times; list_bars is shorter and free. Call estimate first.',
    paging: storePages('snapshots', { usual: 20, most: 100 }),
    hasLadders: true,
    hides: ['dry_run'],
    omit: IDS_IN_ROWS,
  },
  {
    endpoint: listBars,
    title: 'Bars',
    use: 'Lists open, high, low and close of a token’s mid price, with spread, depth and spot price; bars last from one second to one day. Use it for questions about price movements. A bar with a gap has fewer snapshots than expected.',
    paging: storePages('bars', { usual: 40, most: 300 }),
    omit: ['token_id'],
  },
  {
    endpoint: listGaps,
    title: 'Gaps and coverage',
    use: 'Returns the recorded range of a market and what lies outside of it, how complete it is, and the cause of each gap. Use it before you conclude from a period without changes, or when a book is missing.',
    paging: storePages('gaps', { usual: 40, most: 200 }),
  },
  {
    endpoint: getAsof,
    title: 'Markets at a point in time',
    use: 'Returns what was known of up to 20 markets at one time, without later data. Use it for joins and backtests. The status of a market without a book says why.',
    paging: namePages('markets', 'markets'),
    hintOf: (body) => (hasUnknown(body) ? UNKNOWN_MARKETS : undefined),
    hasLadders: true,
    omit: IDS_IN_ROWS,
  },
  {
    endpoint: listTrades,
    title: 'Trades',
    use: 'Lists the trades of a market as reported by the venue, each once.',
    paging: storePages('trades', { usual: 40, most: 200 }),
    omit: ['token_id'],
  },
  {
    endpoint: listExchangeSnapshots,
    title: 'Stored books of a perpetual future',
    use: 'Lists stored books of a coin’s perpetual future by time. Use it for past prices of the underlying.',
    paging: storePages(undefined, { usual: 15, most: 100 }),
    hasLadders: true,
    hides: ['exchange'],
  },
]

/** All tools; a key is shown those that its tier and scopes allow. */
export const tools: readonly Tool[] = [...PLANS.map(endpointTool), estimate]

import { getLimits } from '../endpoints/account/get-limits.ts'
import { getAsof } from '../endpoints/as-of/get-asof.ts'
import { getExecutionPrice } from '../endpoints/as-of/get-execution-price.ts'
import { getExchangeOrderbook } from '../endpoints/exchange/get-exchange-orderbook.ts'
import { listExchangeSnapshots } from '../endpoints/exchange/list-exchange-snapshots.ts'
import { listBars } from '../endpoints/history/list-bars.ts'
import { listGaps } from '../endpoints/history/list-gaps.ts'
import { listTrades } from '../endpoints/history/list-trades.ts'
import { getMarket } from '../endpoints/markets/get-market.ts'
import { getMarketOrderbookBySlug } from '../endpoints/markets/get-market-orderbook-by-slug.ts'
import { listCategories } from '../endpoints/markets/list-categories.ts'
import { listLiveMarkets } from '../endpoints/markets/list-live-markets.ts'
import { listMarketHistory } from '../endpoints/markets/list-market-history.ts'
import { listSnapshots, SnapshotList } from '../endpoints/snapshots/list-snapshots.ts'
import { endpointTool, type ToolPlan } from './endpoint-tool.ts'
import { estimate } from './estimate.ts'
import { beginningPages, namePages, placePages, storePages } from './paging.ts'
import type { Tool } from './tool.ts'

/** Each stands in every row and is known from beside it. */
const IDS_IN_ROWS = ['condition_id', 'token_id']

const PLANS: readonly ToolPlan[] = [
  {
    endpoint: listCategories,
    title: 'Categories',
    use: 'Which categories of markets are recorded, how often, and how many markets each has now. Use it first when you do not know what exists.',
  },
  {
    endpoint: listLiveMarkets,
    title: 'Live markets',
    use: 'Markets that are open now, the soonest-ending first. Use it to find a market; crypto=BTC, timeframe=5m, limit=1 is the current five-minute Bitcoin window. `conditionId` is the id that other tools take; token ids are told by get_market.',
    paging: placePages({ usual: 15, most: 100 }),
    omit: ['tokenIds', 'configId', 'expired'],
  },
  {
    endpoint: getMarket,
    title: 'One market',
    use: 'One market, open or closed, by slug, by a part of it or by condition id: times, outcomes, token ids, and who won once that is known. btc-updown-5m means the current window.',
    omit: ['token_ids'],
  },
  {
    endpoint: getMarketOrderbookBySlug,
    title: 'Live order book',
    use: 'Both books (UP and DOWN) of an open market right now, by slug or condition id. Use it for the present; for the past use get_asof.',
    hasLadders: true,
    omit: ['marketId', 'cryptoPrice', 'timestamp'],
  },
  {
    endpoint: getExecutionPrice,
    title: 'What an order would cost',
    use: 'Mean price, slippage and fill of an order walked through the whole book, now or at a moment of the past. Use it instead of adding up levels yourself. Give either size (shares) or notional (USD). Nothing is traded.',
  },
  {
    endpoint: getExchangeOrderbook,
    title: 'Live book of a perpetual future',
    use: 'The live order book of a coin’s perpetual future. Use it to compare a crypto market with its underlying.',
    hasLadders: true,
  },
  {
    endpoint: getLimits,
    title: 'Limits of this key',
    use: 'Tier, requests and credits left, how far back history reaches, which categories are included. Use it before a long piece of work.',
  },
  {
    endpoint: listMarketHistory,
    title: 'Recorded markets',
    use: 'Markets that were ever recorded, open and closed, the newest first, with how much of each there is. Use it to find markets of the past.',
    paging: storePages('markets', { usual: 20, most: 100 }),
  },
  {
    endpoint: listSnapshots,
    title: 'Stored books',
    use: 'Stored books of a market in order, with every gap among them. Use it only when you need the ladders of many moments: list_bars is shorter and free. Ask estimate first.',
    reply: SnapshotList,
    paging: storePages('snapshots', { usual: 20, most: 100 }),
    hasLadders: true,
    hides: ['dry_run'],
    omit: IDS_IN_ROWS,
  },
  {
    endpoint: listBars,
    title: 'Bars',
    use: 'Open, high, low and close of a token’s mid price, with spread, depth and spot price, by the second up to the day. Use it for any question about how a price moved. A bar over a gap has fewer snapshots than expected.',
    paging: storePages('bars', { usual: 40, most: 300 }),
    omit: ['token_id'],
  },
  {
    endpoint: listGaps,
    title: 'Gaps and completeness',
    use: 'How complete the record of a market is and why what is missing is missing. Use it before you conclude anything from a quiet stretch.',
    paging: beginningPages('gaps', { usual: 40, most: 200 }),
  },
  {
    endpoint: getAsof,
    title: 'Markets as of a moment',
    use: 'What was known of up to 20 markets at one moment, and nothing that came after it. Use it for a point in time, for joins and for backtests: it never looks ahead. A market without a book says why.',
    paging: namePages('markets', 'markets'),
    hasLadders: true,
    omit: IDS_IN_ROWS,
  },
  {
    endpoint: listTrades,
    title: 'Trades',
    use: 'Trades of a market as the venue told them, each once. Use it for volume and for what was really paid.',
    paging: storePages('trades', { usual: 40, most: 200 }),
    omit: ['token_id'],
  },
  {
    endpoint: listExchangeSnapshots,
    title: 'Stored books of a perpetual future',
    use: 'Stored order books of a coin’s perpetual future, in order. Use it for the underlying in the past.',
    paging: storePages(undefined, { usual: 15, most: 100 }),
    hasLadders: true,
  },
]

/** Everything that an agent can be given; which of it depends on the key. */
export const tools: readonly Tool[] = [...PLANS.map(endpointTool), estimate]

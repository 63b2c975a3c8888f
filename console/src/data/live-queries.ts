import type { GapReport, HeatMap, ListMarketHistoryQuery, ListTradesReply } from '@bookreel/sdk'
import { queryOptions } from '@tanstack/react-query'
import { accountClient } from './clients.ts'
import type { MarketPage } from './former-windows.ts'
import { type MapStep, PRICE_STEPS } from './map-steps.ts'
import type { Series } from './market-queries.ts'
import { nextRequestMs } from './next-request.ts'
import type { TradePage } from './past-loader.ts'
import { type ShownTrade, tradeId } from './stream/live-market.ts'

const EXECUTION_MS = 5_000
/** The book of a past moment does not change. */
const PAST_MS = 3_600_000
const TRADES = 500
const GAPS = 5_000
/** Four hours of the shortest windows. */
const WINDOWS = 50

function sideName(side: 'up' | 'down'): 'UP' | 'DOWN' {
  return side === 'up' ? 'UP' : 'DOWN'
}

/** What the tiles of a live map show. */
interface TileView {
  readonly side: 'up' | 'down'
  readonly step: MapStep
}

export function fetchTile(id: string, { side, step }: TileView, fromMs: number, columnMs: number): Promise<HeatMap> {
  const query = { from: fromMs, side: sideName(side), column_ms: columnMs, price_step: PRICE_STEPS[step] }
  return accountClient.history.marketHeatmap(id, query)
}

interface PastRange {
  readonly market: string
  readonly fromMs: number
  readonly toMs: number
}

/** The newest trades of a time; those of before with the cursor of the last page. */
export async function fetchTrades({ market, fromMs, toMs }: PastRange, cursor: string | undefined): Promise<TradePage> {
  const range = {
    ...(Number.isFinite(fromMs) && { from: fromMs }),
    ...(toMs < Date.now() && { to: toMs }),
    ...(cursor !== undefined && { cursor }),
  }
  const query = { marketId: market, order: 'desc', limit: TRADES, ...range } as const
  const { trades, next_cursor: next } = await accountClient.history.trades(query)
  return { trades: trades.map(storedTrade), next: next ?? undefined }
}

/** The gaps of a market since a time, until now. */
export function fetchGaps(market: string, fromMs: number): Promise<GapReport> {
  return accountClient.history.gaps(market, { from: fromMs, limit: GAPS })
}

/** Recorded markets of a series, the newest first. */
export async function fetchSeries(
  { coin, timeframe }: Series,
  venue: string,
  cursor: string | undefined,
): Promise<MarketPage> {
  const query = { crypto: coin, timeframe, venue, limit: WINDOWS, ...(cursor !== undefined && { cursor }) }
  const { markets, next_cursor: next } = await accountClient.markets.history(query as ListMarketHistoryQuery)
  const listed = markets.map(({ market_id: market, end_date: end }) => ({ market, endMs: Date.parse(end) }))
  return { markets: listed, next: next ?? undefined }
}

function storedTrade(trade: ListTradesReply['trades'][number]): ShownTrade {
  const { side, action, price, size } = trade
  const atMs = Date.parse(trade.traded_at)
  return { side, action, price, size, atMs, id: tradeId(trade, atMs) }
}

export interface Order {
  readonly side: 'up' | 'down'
  readonly action: 'buy' | 'sell'
  readonly amount: number
  readonly unit: 'shares' | 'usd'
  /** A time in the past; without it the book of now counts. */
  readonly atMs?: number | undefined
}

export function executionQuery(id: string, { side, action, amount, unit, atMs }: Order) {
  const size = unit === 'shares' ? { size: amount } : { notional: amount }
  return queryOptions({
    queryKey: ['execution', id, side, action, amount, unit, atMs],
    queryFn: ({ signal }) => {
      const order = { side: sideName(side), action, ...size, ...(atMs !== undefined && { timestamp: atMs }) }
      return accountClient.markets.executionPrice(id, order, { signal })
    },
    refetchInterval: ({ state: { error } }) => nextRequestMs(error, atMs === undefined && EXECUTION_MS),
    staleTime: atMs === undefined ? 0 : PAST_MS,
  })
}

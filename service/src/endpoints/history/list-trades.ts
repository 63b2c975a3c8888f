import { z } from 'zod'
import { NO_TRANSACTION, type Trade } from '../../domain/rows/trade.ts'
import { overlapOf } from '../../domain/time-range.ts'
import { type EmptyReason, endpoint } from '../endpoint.ts'
import { priceOf, sizeOf } from '../schemas/book-figures.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { ConditionId, fromBeforeTo, Moment, Order, Side, wholeNumber } from '../schemas/parameters.ts'
import { Cursor, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import { recordedRange } from '../shared/recorded-range.ts'
import { HistoryFrom, historyFromMember, requestedRange } from '../shared/requested-range.ts'

const TradeEntry = z
  .object({
    market_id: z.string(),
    token_id: z.string(),
    side: Side.describe('the traded token'),
    action: z.enum(['buy', 'sell']).describe('what the taker did'),
    price: z.number(),
    size: z.number().describe('shares'),
    traded_at: Instant.describe('time of the trade, from the venue'),
    received_at: Instant.describe('time of receipt'),
    transaction_hash: z.string().nullable().describe('several trades may share one; null when the venue sent none'),
  })
  .meta({ id: 'Trade' })

const Trades = z.object({
  market_id: z.string(),
  trades: z.array(TradeEntry),
  next_cursor: NextCursor,
  history_from: HistoryFrom,
  empty_reason: z.string().optional(),
})

/** The members that distinguish one trade from another. */
const Position = z.tuple([
  z.int(),
  z.string().regex(/^0x[0-9a-f]{64}$/),
  z.union([z.literal(0), z.literal(1)]),
  z.enum(['BUY', 'SELL']),
  z.int().min(0).max(65_535),
  z.int().min(0),
])

/** Trades arrive after the books are no longer sampled, and the venue may report them late. */
const AFTER_END_MS = 3_600_000

export const listTrades = endpoint({
  method: 'GET',
  path: '/v1/trades',
  name: 'list_trades',
  group: 'History',
  summary: 'List the trades of a market',
  description: 'Each trade once, from the taker’s side, by the venue’s time.',
  access: { by: 'key', scope: 'history' },
  query: z
    .object({
      marketId: ConditionId,
      from: Moment.optional().describe(
        'earliest time of the trade, included; default: everything recorded that the tier includes',
      ),
      to: Moment.optional().describe('latest time of the trade, not included'),
      limit: wholeNumber(1, 500).default(100),
      order: Order.optional().describe('by time; asc when `from` is given, else desc'),
      cursor: Cursor.optional(),
    })
    .check(fromBeforeTo),
  reply: Trades,
  errors: ['market_not_found'],
  table: {
    columns: Object.keys(TradeEntry.shape),
    rows: ({ trades }) => trades,
    inRows: ['trades'],
  },

  async handle(request) {
    const { query, stores, nowMs, require } = request
    const market = await findMarket(stores, query.marketId, nowMs)
    require({ category: market.category })
    const nothing = (reason: EmptyReason, limit: { history_from?: string } = {}) => ({
      body: { market_id: market.id, trades: [], next_cursor: null, ...limit, empty_reason: reason },
      emptyReason: reason,
    })
    const recorded = await recordedRange(stores, market, nowMs)
    if (recorded === undefined) return nothing('not_recorded_yet')
    const endMs = Math.max(recorded.toMs, Math.min(nowMs, recorded.toMs + AFTER_END_MS))
    const requested = requestedRange(request, endMs)
    const limited = historyFromMember(requested, recorded.fromMs)
    const range = overlapOf(requested, { fromMs: recorded.fromMs, toMs: endMs })
    if (range === undefined) return nothing('outside_capture', limited)

    const order = query.order ?? (query.from === undefined ? 'desc' : 'asc')
    const list = `trades ${market.id} ${order}`
    const position = decodeCursor(query.cursor, list, Position)
    const after = position && tradeAt(market.id, position)
    const limit = query.limit + 1
    const found = await stores.trades.range(
      { marketId: market.id, ...range },
      { order, limit, ...(after && { after }) },
    )
    const trades = found.slice(0, query.limit)
    const last = trades.at(-1)
    if (last === undefined) return nothing('no_trades', limited)
    const nextCursor = found.length > trades.length ? encodeCursor(list, positionOf(last)) : null
    return {
      body: {
        market_id: market.id,
        trades: trades.map((trade) => entryOf(trade, market)),
        next_cursor: nextCursor,
        ...limited,
      },
    }
  },
})

function entryOf(trade: Trade, { id, tokenIds }: FoundMarket): z.infer<typeof TradeEntry> {
  return {
    market_id: id,
    token_id: tokenIds[trade.outcome],
    side: trade.outcome === 0 ? 'UP' : 'DOWN',
    action: trade.side === 'BUY' ? 'buy' : 'sell',
    price: priceOf(trade.price),
    size: sizeOf(trade.size),
    traded_at: instantOf(trade.tradedAtMs),
    received_at: instantOf(trade.receivedAtMs),
    transaction_hash: trade.transactionHash === NO_TRANSACTION ? null : trade.transactionHash,
  }
}

function positionOf(trade: Trade): z.infer<typeof Position> {
  return [trade.tradedAtMs, trade.transactionHash, trade.outcome, trade.side, trade.price, trade.size]
}

function tradeAt(
  marketId: string,
  [tradedAtMs, transactionHash, outcome, side, price, size]: z.infer<typeof Position>,
): Trade {
  return { marketId, tradedAtMs, transactionHash, outcome, side, price, size, receivedAtMs: tradedAtMs }
}

import { z } from 'zod'
import { NO_TRANSACTION, type Trade } from '../../domain/rows/trade.ts'
import { overlapOf, type TimeRange } from '../../domain/time-range.ts'
import { type EmptyReason, endpoint } from '../endpoint.ts'
import { priceOf, sizeOf } from '../schemas/book-figures.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { ConditionId, fromBeforeTo, Moment, Order, Side, wholeNumber } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { Cursor, CursorTime, decodeCursor, encodeCursor, NextCursor } from '../shared/cursor.ts'
import { findMarket } from '../shared/find-market.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import { recordedRange, whyNothing } from '../shared/recorded-range.ts'
import { HistoryFrom, historyFromMember, requestedRange } from '../shared/requested-range.ts'
import { doubtMembers, doubtOf, NO_DOUBT, TOLD_WITHIN_MS } from './trade-gaps.ts'

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
    occurrence: z
      .int()
      .describe(
        '0, or how many fills that are equal in everything else came before it in the same message of the venue',
      ),
  })
  .meta({ id: 'Trade' })

const Trades = z.object({
  market_id: z.string(),
  venue: VenueName,
  trades: z.array(TradeEntry),
  next_cursor: NextCursor,
  ...doubtMembers('trades'),
  history_from: HistoryFrom,
  empty_reason: z.string().optional(),
})

/** The members that distinguish one trade from another. */
const Position = z.tuple([
  CursorTime,
  z.string().regex(/^0x[0-9a-f]{64}$/),
  z.union([z.literal(0), z.literal(1)]),
  z.enum(['BUY', 'SELL']),
  z.int().min(0).max(65_535),
  z.int().min(0),
  z.int().min(0).max(255),
])

/** Trades arrive after the books are no longer sampled, and the venue may report them late. */
const AFTER_END_MS = 3_600_000

export const listTrades = endpoint({
  method: 'GET',
  path: '/v1/trades',
  name: 'list_trades',
  group: 'History',
  summary: 'List the trades of a market',
  description:
    'Each trade once, from the taker’s side, by the venue’s time. `gaps` lists the times of the page in which trades may be missing, because a connection, the recorder or the message bus failed.',
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
    const nothing = (reason: EmptyReason, rest: Partial<z.infer<typeof Trades>> = {}) => ({
      body: {
        market_id: market.id,
        venue: market.venue,
        trades: [],
        next_cursor: null,
        ...NO_DOUBT,
        ...rest,
        empty_reason: reason,
      },
      emptyReason: reason,
    })
    const recorded = await recordedRange(stores, market, nowMs)
    if (recorded === undefined) return nothing(await whyNothing(stores, market, nowMs))
    const storedFromMs = await stores.storedSince.of('trades', nowMs)
    const endMs = Math.max(recorded.toMs, Math.min(nowMs, recorded.toMs + AFTER_END_MS))
    const requested = requestedRange(request, endMs)
    const limited = historyFromMember(requested, recorded.fromMs)
    if (requested.toMs <= storedFromMs) return nothing('retention', limited)
    const range = overlapOf(requested, { fromMs: Math.max(recorded.fromMs, storedFromMs), toMs: endMs })
    if (range === undefined) return nothing('outside_capture', limited)

    const order = query.order ?? (query.from === undefined ? 'desc' : 'asc')
    const list = `trades ${market.id} ${order}`
    const position = decodeCursor(query.cursor, list, Position)
    const after = position && tradeAt(market.id, position)
    const limit = query.limit + 1
    const [found, records] = await Promise.all([
      stores.trades.range({ marketId: market.id, ...range }, { order, limit, ...(after && { after }) }),
      stores.gaps.all({
        marketId: market.id,
        intervalMs: market.captureIntervalMs,
        fromMs: range.fromMs,
        // A gap of rows reaches back to before its first slot.
        toMs: range.toMs + TOLD_WITHIN_MS + market.captureIntervalMs,
      }),
    ])
    const trades = found.slice(0, query.limit)
    const last = trades.at(-1)
    const pageMs = timeOfPage(range, order, after, found.length > trades.length ? last : undefined)
    const accounted = doubtOf(records, pageMs)
    if (last === undefined)
      return nothing(accounted.coverage.share === 0 ? 'gap' : 'no_trades', { ...limited, ...accounted })
    const nextCursor = found.length > trades.length ? encodeCursor(list, positionOf(last)) : null
    return {
      body: {
        market_id: market.id,
        venue: market.venue,
        trades: trades.map((trade) => entryOf(trade, market)),
        next_cursor: nextCursor,
        ...accounted,
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
    occurrence: trade.occurrence,
  }
}

/** The milliseconds of the first and the last trade belong to the page, also when another page shares them. */
function timeOfPage(
  range: TimeRange,
  order: 'asc' | 'desc',
  after: Trade | undefined,
  last: Trade | undefined,
): TimeRange {
  const [earliest, latest] = order === 'asc' ? [after, last] : [last, after]
  return {
    fromMs: Math.max(range.fromMs, earliest?.tradedAtMs ?? range.fromMs),
    toMs: Math.min(range.toMs, latest === undefined ? range.toMs : latest.tradedAtMs + 1),
  }
}

function positionOf(trade: Trade): z.infer<typeof Position> {
  return [trade.tradedAtMs, trade.transactionHash, trade.outcome, trade.side, trade.price, trade.size, trade.occurrence]
}

function tradeAt(
  marketId: string,
  [tradedAtMs, transactionHash, outcome, side, price, size, occurrence]: z.infer<typeof Position>,
): Trade {
  return { marketId, tradedAtMs, transactionHash, outcome, side, price, size, receivedAtMs: tradedAtMs, occurrence }
}

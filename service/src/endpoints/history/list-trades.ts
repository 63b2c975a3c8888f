import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import type { Trade } from '../../domain/rows/trade.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { type EmptyReason, endpoint } from '../endpoint.ts'
import { priceOf, sizeOf } from '../schemas/book-figures.ts'
import { Cursor, cursorOf, NextCursor, positionIn } from '../schemas/cursor.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { ConditionId, Moment, Order, Side, wholeNumber } from '../schemas/parameters.ts'
import { findMarket } from '../shared/find-market.ts'
import { rangeAsked, withinLife } from '../shared/history-range.ts'
import { recordedLife } from '../shared/recorded-life.ts'

const TradeEntry = z
  .object({
    market_id: z.string(),
    token_id: z.string(),
    side: Side.describe('the token that was traded'),
    taker_side: z.enum(['BUY', 'SELL']).describe('what the taker did'),
    price: z.number(),
    size: z.number().describe('shares'),
    traded_at: Instant.describe('as the venue says'),
    received_at: Instant.describe('when it reached us'),
    transaction_hash: z.string().nullable().describe('several trades may share one; null when the venue gave none'),
  })
  .meta({ id: 'Trade' })

const Trades = z.object({
  market_id: z.string(),
  trades: z.array(TradeEntry),
  next_cursor: NextCursor,
  empty_reason: z.string().optional(),
})

/** All that tells one trade from another; a page begins behind it. */
const Position = z.tuple([
  z.enum(['asc', 'desc']),
  z.int(),
  z.string().regex(/^0x[0-9a-f]{64}$/),
  z.union([z.literal(0), z.literal(1)]),
  z.enum(['BUY', 'SELL']),
  z.int().min(0).max(65_535),
  z.int().min(0),
])

const NO_HASH = /^0x0+$/
/** Trades still come in when the books are no longer sampled, and may be told some time after they were made. */
const AFTER_LIFE_MS = 3_600_000

export const listTrades = endpoint({
  method: 'GET',
  path: '/v1/trades',
  name: 'list_trades',
  group: 'History',
  summary: 'Trades of a market as the venue told them',
  description: 'Each trade once, from the taker’s side, in the order of the venue’s time.',
  access: { by: 'key', scope: 'history' },
  query: z.object({
    market: ConditionId,
    from: Moment.optional().describe('traded at or after this; default: all that was recorded and the tier includes'),
    to: Moment.optional().describe('traded before this'),
    limit: wholeNumber(1, 500).default(100),
    order: Order.optional().describe('by time; asc when from is given, otherwise desc'),
    cursor: Cursor.optional(),
  }),
  reply: Trades,
  errors: ['market_not_found'],
  table: {
    columns: Object.keys(TradeEntry.shape),
    rows: ({ trades }) => trades,
    envelope: (reply) => ({ ...reply, trades: undefined }),
  },

  async handle({ query, stores, caller, nowMs, require }) {
    const market = await findMarket(stores, query.market, nowMs)
    require({ category: market.category })
    const nothing = (reason: EmptyReason) => ({
      body: { market_id: market.id, trades: [], next_cursor: null, empty_reason: reason },
      emptyReason: reason,
    })
    const recorded = await recordedLife(stores, market, nowMs)
    if (recorded === undefined) return nothing('not_recorded_yet')
    const life = { ...recorded, toMs: Math.max(recorded.toMs, Math.min(nowMs, recorded.toMs + AFTER_LIFE_MS)) }
    const range = withinLife(rangeAsked({ query, caller, nowMs, require }, life), life)
    if (range === undefined) return nothing('outside_capture')

    const order = query.order ?? (query.from === undefined ? 'desc' : 'asc')
    const after = query.cursor === undefined ? undefined : tradeIn(query.cursor, market.id, order)
    const limit = query.limit + 1
    const found = await stores.trades.range(
      { marketId: market.id, ...range },
      { order, limit, ...(after && { after }) },
    )
    const trades = found.slice(0, query.limit)
    const last = trades.at(-1)
    if (last === undefined) return nothing('no_trades')
    const nextCursor = found.length > trades.length ? cursorOf(positionOf(last, order)) : null
    return {
      body: { market_id: market.id, trades: trades.map((trade) => entryOf(trade, market)), next_cursor: nextCursor },
    }
  },
})

function entryOf(trade: Trade, { id, tokenIds }: StoredMarket): z.infer<typeof TradeEntry> {
  return {
    market_id: id,
    token_id: tokenIds[trade.outcome],
    side: trade.outcome === 0 ? 'UP' : 'DOWN',
    taker_side: trade.side,
    price: priceOf(trade.price),
    size: sizeOf(trade.size),
    traded_at: instantOf(trade.tradedAtMs),
    received_at: instantOf(trade.receivedAtMs),
    transaction_hash: NO_HASH.test(trade.transactionHash) ? null : trade.transactionHash,
  }
}

function positionOf(trade: Trade, order: 'asc' | 'desc'): z.infer<typeof Position> {
  return [order, trade.tradedAtMs, trade.transactionHash, trade.outcome, trade.side, trade.price, trade.size]
}

function tradeIn(cursor: string, marketId: string, wantedOrder: 'asc' | 'desc'): Trade {
  const position = positionIn(cursor, Position)
  if (position === undefined || position[0] !== wantedOrder) {
    throw new ApiError('invalid_request', 'cursor: not one of a page with these parameters')
  }
  const [, tradedAtMs, transactionHash, outcome, side, price, size] = position
  return { marketId, tradedAtMs, transactionHash, outcome, side, price, size, receivedAtMs: tradedAtMs }
}

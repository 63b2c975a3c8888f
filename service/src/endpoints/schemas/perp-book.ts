import { z } from 'zod'
import { COINS, type CoinSymbol } from '../../domain/market.ts'
import { PERP_DECIMALS, type PerpLadders, type PerpLevel, type PerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import { shown } from '../../domain/value-problems.ts'
import { DEFAULT_PERP_VENUE, PERP_VENUES, proofOf } from '../../venue-registry.ts'
import { Instant, instantOf } from './instant.ts'
import { BookProof } from './snapshot.ts'

const ONE = 10 ** PERP_DECIMALS
/** Both names mean the perps of the same venue. */
const EXCHANGES = PERP_VENUES.flatMap(({ id }) => [`${id}_perp`, id])
const Touch = z.number().nullable()
const Pairs = z.array(z.tuple([z.number(), z.number()]))

export const ExchangeParameter = z
  .enum(EXCHANGES)
  .transform((exchange) => exchange.replace(/_perp$/, ''))
  .describe(`${EXCHANGES.join(' or ')}; both mean the same`)
  .meta({ override: { type: 'string', enum: EXCHANGES } })

export const OptionalExchange = ExchangeParameter.default(DEFAULT_PERP_VENUE)

export const SymbolParameter = z
  .string()
  .transform((text, context): CoinSymbol => {
    const coin = COINS.find((each) => each === text.toUpperCase())
    if (coin !== undefined) return coin
    context.addIssue({ code: 'custom', message: `must be one of ${COINS.join(', ')}, got ${shown(text)}` })
    return z.NEVER
  })
  .describe('coin, in any case')
  .meta({ override: { type: 'string', enum: COINS } })

/** Prices of a book that has both sides. */
export const pricesOfBothSides = {
  best_bid: z.number(),
  best_ask: z.number(),
  mid_price: z.number(),
  spread: z.number(),
}
const BothPrices = z.object(pricesOfBothSides)

/** One perp at one slot. */
export const PerpBook = z
  .object({
    exchange: z.string(),
    symbol: z.string(),
    timestamp: Instant.describe('time of the sample'),
    best_bid: z.number().nullable().describe('null when the book has no bids'),
    best_ask: z.number().nullable().describe('null when the book has no asks'),
    mid_price: z.number().nullable().describe('null when a side is empty'),
    spread: z.number().nullable().describe('null when a side is empty'),
    bid_depth_total: z.number().describe('sum of the sizes of all bids'),
    ask_depth_total: z.number().describe('sum of the sizes of all asks'),
    bids: Pairs.describe('[price, size], best price first, up to 20'),
    asks: Pairs.describe('[price, size], best price first, up to 20'),
    sequence_number: z.int().describe('the slot; it grows by 1 with every sampling interval'),
    event_timestamp: Instant.describe('time of the book, from the venue'),
    touch_bid: Touch.describe('best bid from a faster stream; it is not merged into the book; null without one'),
    touch_bid_size: Touch,
    touch_ask: Touch.describe('best ask from a faster stream; null without one'),
    touch_ask_size: Touch,
    touch_timestamp: Instant.nullable(),
    proof: BookProof,
    venue: z.string().describe('the venue of the exchange'),
  })
  .meta({ id: 'PerpBook' })
export type PerpBook = z.infer<typeof PerpBook>

export function perpBookOf(row: PerpSnapshot): PerpBook {
  const { bids, asks } = row.ladders
  const [bid, ask] = [bids[0]?.price, asks[0]?.price]
  const prices = bothPricesOf(row.ladders)
  return {
    exchange: `${row.venue}_perp`,
    symbol: row.symbol,
    timestamp: instantOf(row.capturedAtMs),
    best_bid: bid === undefined ? null : bid / ONE,
    best_ask: ask === undefined ? null : ask / ONE,
    mid_price: prices?.mid_price ?? null,
    spread: prices?.spread ?? null,
    bid_depth_total: depthOf(bids),
    ask_depth_total: depthOf(asks),
    bids: pairsOf(bids),
    asks: pairsOf(asks),
    sequence_number: row.slot,
    event_timestamp: instantOf(row.eventAtMs),
    touch_bid: touchOf(row.touch.bidPrice),
    touch_bid_size: touchOf(row.touch.bidSize),
    touch_ask: touchOf(row.touch.askPrice),
    touch_ask_size: touchOf(row.touch.askSize),
    touch_timestamp: row.touch.eventAtMs === 0 ? null : instantOf(row.touch.eventAtMs),
    proof: proofOf(row.venue),
    venue: row.venue,
  }
}

/** Undefined when a side is empty. */
export function bothPricesOf({ bids, asks }: PerpLadders): z.infer<typeof BothPrices> | undefined {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price]
  if (bid === undefined || ask === undefined) return undefined
  return { best_bid: bid / ONE, best_ask: ask / ONE, mid_price: (bid + ask) / (2 * ONE), spread: (ask - bid) / ONE }
}

/** Rows store 0 for a price or size that the faster stream did not send. */
function touchOf(units: number): number | null {
  return units === 0 ? null : units / ONE
}

function pairsOf(levels: readonly PerpLevel[]): [number, number][] {
  return levels.map(({ price, size }) => [price / ONE, size / ONE])
}

function depthOf(levels: readonly PerpLevel[]): number {
  return levels.reduce((sum, { size }) => sum + size, 0) / ONE
}

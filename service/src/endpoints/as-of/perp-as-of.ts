import { z } from 'zod'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { PERP_DECIMALS, type PerpLevel, type PerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import type { Stores } from '../stores.ts'
import { ON_THE_WAY_MS } from './book-as-of.ts'

const VENUE = 'hyperliquid'
const PERP_ONE = 10 ** PERP_DECIMALS
/** An older book says nothing about the moment. */
const WITHIN_MS = 60_000
const NEWEST = 3

const age = z.int().describe('at the moment asked for')
const Pairs = z.array(z.tuple([z.number(), z.number()]))

export const PerpAsOf = z
  .object({
    exchange: z.string(),
    symbol: z.string(),
    capture_timestamp: Instant,
    age_ms: age,
    event_timestamp: Instant.describe('of the ladders, as the venue says'),
    event_age_ms: age,
    best_bid: z.number(),
    best_ask: z.number(),
    mid_price: z.number(),
    spread: z.number(),
    bid_depth_total: z.number(),
    ask_depth_total: z.number(),
    touch_bid: z.number().nullable().describe('best bid from a faster feed than the ladders'),
    touch_ask: z.number().nullable(),
    touch_age_ms: age.nullable(),
    bids: Pairs.optional().describe('price and size, best price first; left out with includebook=false'),
    asks: Pairs.optional(),
  })
  .meta({ id: 'PerpAsOf' })
export type PerpAsOf = z.infer<typeof PerpAsOf>

/** The newest book of the perp that was known at a moment; null when there is none of the minute before, or it had an empty side. */
export async function perpAsOf(
  { perps, latest }: Stores,
  symbol: string,
  { atMs, nowMs, includeBook }: { readonly atMs: number; readonly nowMs: number; readonly includeBook: boolean },
): Promise<PerpAsOf | null> {
  const span = { venue: VENUE, symbol, intervalMs: PERP_INTERVAL_MS, fromMs: atMs - WITHIN_MS, toMs: atMs + 1 }
  const [stored, newest] = await Promise.all([
    perps.range(span, { order: 'desc', limit: NEWEST }),
    nowMs - atMs < ON_THE_WAY_MS ? latest.readPerp(VENUE, symbol) : undefined,
  ])
  const known = [...(newest ? [newest] : []), ...stored].filter(({ capturedAtMs }) => capturedAtMs <= atMs)
  const row = known.toSorted((one, other) => other.slot - one.slot)[0]
  return row === undefined ? null : entryOf(row, atMs, includeBook)
}

function entryOf(row: PerpSnapshot, atMs: number, includeBook: boolean): PerpAsOf | null {
  const { bids, asks } = row.ladders
  const [bid, ask] = [bids[0]?.price, asks[0]?.price]
  if (bid === undefined || ask === undefined) return null
  const { touch } = row
  return {
    exchange: `${row.venue}_perp`,
    symbol: row.symbol,
    capture_timestamp: instantOf(row.capturedAtMs),
    age_ms: Math.round(atMs - row.capturedAtMs),
    event_timestamp: instantOf(row.eventAtMs),
    event_age_ms: Math.round(atMs - row.eventAtMs),
    best_bid: bid / PERP_ONE,
    best_ask: ask / PERP_ONE,
    mid_price: (bid + ask) / (2 * PERP_ONE),
    spread: (ask - bid) / PERP_ONE,
    bid_depth_total: depthOf(bids),
    ask_depth_total: depthOf(asks),
    touch_bid: touch.bidSize === 0 ? null : touch.bidPrice / PERP_ONE,
    touch_ask: touch.askSize === 0 ? null : touch.askPrice / PERP_ONE,
    touch_age_ms: touch.eventAtMs === 0 ? null : Math.round(atMs - touch.eventAtMs),
    ...(includeBook && { bids: pairsOf(bids), asks: pairsOf(asks) }),
  }
}

function depthOf(levels: readonly PerpLevel[]): number {
  return levels.reduce((sum, { size }) => sum + size, 0) / PERP_ONE
}

function pairsOf(levels: readonly PerpLevel[]): [number, number][] {
  return levels.map(({ price, size }) => [price / PERP_ONE, size / PERP_ONE])
}

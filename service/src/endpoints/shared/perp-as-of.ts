import { z } from 'zod'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import type { PerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import { DEFAULT_PERP_VENUE } from '../../venue-registry.ts'
import { Instant } from '../schemas/instant.ts'
import { bothPricesOf, PerpBook, perpBookOf, pricesOfBothSides } from '../schemas/perp-book.ts'
import { ARCHIVE_DELAY_MS } from './book-as-of.ts'
import type { PerpReads } from './perp-reads.ts'

const VENUE = DEFAULT_PERP_VENUE
/** An older book is too old to be used. */
const WITHIN_MS = 60_000
const NEWEST = 3

const { exchange, symbol, bid_depth_total, ask_depth_total, bids, asks } = PerpBook.shape
const { touch_bid, touch_bid_size, touch_ask, touch_ask_size, proof, venue } = PerpBook.shape
const Age = z.int().describe('at the requested time')

export const PerpAsOf = z
  .object({
    exchange,
    symbol,
    capture_timestamp: Instant,
    age_ms: Age,
    event_timestamp: Instant.describe('time of the book, from the venue'),
    event_age_ms: Age,
    ...pricesOfBothSides,
    bid_depth_total,
    ask_depth_total,
    touch_bid,
    touch_bid_size,
    touch_ask,
    touch_ask_size,
    touch_age_ms: Age.nullable(),
    proof,
    bids: bids.optional().describe('price and size, best price first; left out with includebook=false'),
    asks: asks.optional(),
    venue,
  })
  .meta({ id: 'PerpAsOf' })
export type PerpAsOf = z.infer<typeof PerpAsOf>

/** The newest book of the perp that was known at a time; null when it is older than a minute or has an empty side. */
export async function perpAsOf(
  perps: PerpReads,
  symbol: string,
  { atMs, nowMs, includeBook }: { readonly atMs: number; readonly nowMs: number; readonly includeBook: boolean },
): Promise<PerpAsOf | null> {
  const range = { venue: VENUE, symbol, intervalMs: PERP_INTERVAL_MS, fromMs: atMs - WITHIN_MS, toMs: atMs + 1 }
  const [stored, newest] = await Promise.all([
    perps.range(range, { order: 'desc', limit: NEWEST }),
    nowMs - atMs < ARCHIVE_DELAY_MS ? perps.newest({ venue: VENUE, symbol }) : undefined,
  ])
  const known = [...(newest ? [newest] : []), ...stored].filter(({ capturedAtMs }) => capturedAtMs <= atMs)
  const row = known.toSorted((one, other) => other.slot - one.slot)[0]
  return row === undefined ? null : entryOf(row, atMs, includeBook)
}

function entryOf(row: PerpSnapshot, atMs: number, includeBook: boolean): PerpAsOf | null {
  const prices = bothPricesOf(row.ladders)
  if (prices === undefined) return null
  const { timestamp, sequence_number: _slot, touch_timestamp: _touch, bids, asks, ...book } = perpBookOf(row)
  return {
    ...book,
    ...prices,
    capture_timestamp: timestamp,
    age_ms: Math.round(atMs - row.capturedAtMs),
    event_age_ms: Math.round(atMs - row.eventAtMs),
    touch_age_ms: row.touch.eventAtMs === 0 ? null : Math.round(atMs - row.touch.eventAtMs),
    ...(includeBook && { bids, asks }),
  }
}

import { z } from 'zod'
import { BookProof } from '../../endpoints/schemas/snapshot.ts'
import { DEFAULT_PERP_VENUE } from '../../venue-registry.ts'

/** In every data frame. `seq` is the slot; `prev_seq` is the slot of the previous frame of this channel and market. */
export const frameHead = {
  market: z.string().describe(`condition id, or \`${DEFAULT_PERP_VENUE}_perp:BTC\``),
  seq: z.int(),
  prev_seq: z.int().nullable().describe('null in the first frame'),
  event_at: z.int().describe('time of the venue, epoch ms'),
  received_at: z.int(),
  captured_at: z.int(),
  sent_at: z.int(),
  flags: z.array(z.string()),
}
/** In every frame with a book. */
export const bookHead = { ...frameHead, proof: BookProof }
const Pair = z.tuple([z.number(), z.number()]).describe('price, size; in a delta, size 0 removes the level')
export const Sides = z.object({ bids: z.array(Pair), asks: z.array(Pair) })
export const Touch = z.object({ bid: z.number(), bid_size: z.number(), ask: z.number(), ask_size: z.number() })
export const Spot = z.object({ price: z.number(), age_ms: z.int() }).nullable()

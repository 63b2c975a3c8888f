import { z } from 'zod'
import type { Level } from '../../domain/book.ts'
import type { Proof } from '../../domain/proof.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { tokenFlags } from '../../domain/snapshot-flags.ts'
import { figuresOf, priceOf, sizeOf } from './book-figures.ts'
import { BookFlag, BookProof } from './snapshot.ts'

const LevelObject = z.object({ price: z.number(), size: z.number() }).meta({ id: 'Level' })

/** One token's side of a live book. */
export const TokenBook = z
  .object({
    tokenId: z.string(),
    timestamp: z.int().describe('same as captureTimestamp'),
    eventTimestamp: z.int().describe('epoch ms of the last change of the book, from the venue'),
    captureTimestamp: z.int().describe('epoch ms of the sample'),
    sequenceNumber: z.int().describe('the slot; it grows by 1 with every sampling interval'),
    outcomeIndex: z.int().describe('0 for up, 1 for down'),
    bestBid: z.number().describe('0 when there are no bids'),
    bestAsk: z.number().describe('1 when there are no asks'),
    midPrice: z.number(),
    spread: z.number(),
    bidDepth: z.number().describe('sum of the sizes of all bids'),
    askDepth: z.number().describe('sum of the sizes of all asks'),
    flags: z.array(BookFlag),
    bids: z.array(LevelObject).optional().describe('best price first; left out with includebook=false'),
    asks: z.array(LevelObject).optional(),
    proof: BookProof,
  })
  .meta({ id: 'TokenBook' })
export type TokenBook = z.infer<typeof TokenBook>

export function tokenBookOf(snapshot: Snapshot, tokenId: string, outcomeIndex: 0 | 1, proof: Proof): TokenBook {
  const ladders = outcomeIndex === 0 ? snapshot.up : snapshot.down
  const { bestBid, bestAsk, mid, spread, bidDepth, askDepth } = figuresOf(ladders)
  return {
    tokenId,
    timestamp: snapshot.capturedAtMs,
    eventTimestamp: snapshot.eventAtMs,
    captureTimestamp: snapshot.capturedAtMs,
    sequenceNumber: snapshot.slot,
    outcomeIndex,
    bestBid,
    bestAsk,
    midPrice: mid,
    spread,
    bidDepth,
    askDepth,
    flags: tokenFlags(snapshot.flags, outcomeIndex, proof),
    bids: objectsOf(ladders.bids),
    asks: objectsOf(ladders.asks),
    proof,
  }
}

function objectsOf(levels: readonly Level[]): { price: number; size: number }[] {
  return levels.map(({ price, size }) => ({ price: priceOf(price), size: sizeOf(size) }))
}

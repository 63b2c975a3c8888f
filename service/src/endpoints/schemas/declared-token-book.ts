import type { z } from 'zod'
import type { Level } from '../../domain/book.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { depth5Of, figuresOf, priceOf, sizeOf } from './book-figures.ts'
import { TokenSnapshot } from './snapshot.ts'

/** One token's live book with exactly the members of the declared schema, named as in snapshots. */
export const DeclaredTokenBook = TokenSnapshot.pick({
  token_id: true,
  side: true,
  best_bid: true,
  best_ask: true,
  mid: true,
  spread: true,
  bids: true,
  asks: true,
  depth5_bid: true,
  depth5_ask: true,
}).meta({ id: 'DeclaredTokenBook' })
type DeclaredTokenBook = z.infer<typeof DeclaredTokenBook>

export function declaredTokenBookOf(
  snapshot: Snapshot,
  tokenId: string,
  outcomeIndex: 0 | 1,
  includeBook: boolean,
): DeclaredTokenBook {
  const ladders = outcomeIndex === 0 ? snapshot.up : snapshot.down
  const { bestBid, bestAsk, mid, spread } = figuresOf(ladders)
  return {
    token_id: tokenId,
    side: outcomeIndex === 0 ? 'UP' : 'DOWN',
    best_bid: bestBid,
    best_ask: bestAsk,
    mid,
    spread,
    ...(includeBook && { bids: pairsOf(ladders.bids), asks: pairsOf(ladders.asks) }),
    depth5_bid: depth5Of(ladders.bids),
    depth5_ask: depth5Of(ladders.asks),
  }
}

function pairsOf(levels: readonly Level[]): [price: number, size: number][] {
  return levels.map(({ price, size }) => [priceOf(price), sizeOf(size)])
}

import { z } from 'zod'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { figuresOf, pairsOf } from './book-figures.ts'
import { Instant, instantOf } from './instant.ts'
import { BookFlag, flagNames } from './snapshot-flags.ts'
import { spotPriceOf } from './spot-price.ts'

const Pairs = z.array(z.tuple([z.number(), z.number()])).optional()

/** One token of a market at one slot, as it was stored. */
export const TokenSnapshot = z
  .object({
    condition_id: z.string(),
    token_id: z.string(),
    side: z.enum(['UP', 'DOWN']),
    event_timestamp: Instant.describe('last change of the book, as the venue says'),
    capture_timestamp: Instant.describe('when the sample was taken'),
    sequence_number: z.int().describe('the slot; consecutive numbers have nothing between them'),
    best_bid: z.number().describe('0 when nobody bids'),
    best_ask: z.number().describe('1 when nobody offers'),
    mid: z.number(),
    spread: z.number().describe('negative when the book is crossed'),
    bids: Pairs.describe('[price, size], best price first; left out with includebook=false'),
    asks: Pairs.describe('[price, size], best price first; left out with includebook=false'),
    depth5_bid: z.number().describe('sum of the sizes of the best five bids'),
    depth5_ask: z.number().describe('sum of the sizes of the best five asks'),
    spot_crypto_usd: z.number().nullable().describe('spot price of the coin; null where there is none'),
    spot_crypto_age_ms: z.int().nullable().describe('how old that price was at the time of capture'),
    flags: z.array(BookFlag),
  })
  .meta({ id: 'TokenSnapshot' })
export type TokenSnapshot = z.infer<typeof TokenSnapshot>

/** What names a token of a market on the wire. */
export interface TokenNames {
  readonly id: string
  readonly tokenIds: readonly [string, string]
}

export interface TokenSnapshotOptions {
  readonly outcome: 0 | 1
  readonly includeBook: boolean
  readonly isSuspect: boolean
}

export function tokenSnapshotOf(
  { id, tokenIds }: TokenNames,
  snapshot: Snapshot,
  { outcome, includeBook, isSuspect }: TokenSnapshotOptions,
): TokenSnapshot {
  const ladders = outcome === 0 ? snapshot.up : snapshot.down
  const { bestBid, bestAsk, mid, spread, depth5Bid, depth5Ask } = figuresOf(ladders)
  const spot = spotPriceOf(snapshot)
  return {
    condition_id: id,
    token_id: tokenIds[outcome],
    side: outcome === 0 ? 'UP' : 'DOWN',
    event_timestamp: instantOf(snapshot.eventAtMs),
    capture_timestamp: instantOf(snapshot.capturedAtMs),
    sequence_number: snapshot.slot,
    best_bid: bestBid,
    best_ask: bestAsk,
    mid,
    spread,
    ...(includeBook && { bids: pairsOf(ladders.bids), asks: pairsOf(ladders.asks) }),
    depth5_bid: depth5Bid,
    depth5_ask: depth5Ask,
    spot_crypto_usd: spot ?? null,
    spot_crypto_age_ms: spot === undefined ? null : snapshot.spotAgeMs,
    flags: flagNames(snapshot.flags, outcome, isSuspect),
  }
}

/** One token, and beside it the other one of the same market and slot. */
export const PairedSnapshot = z
  .object({ ...TokenSnapshot.shape, counterpart: TokenSnapshot.describe('the other token at the same slot') })
  .meta({ id: 'PairedSnapshot' })
export type PairedSnapshot = z.infer<typeof PairedSnapshot>

export function pairedSnapshotOf(
  market: TokenNames,
  snapshot: Snapshot,
  options: TokenSnapshotOptions,
): PairedSnapshot {
  const counterpart = { ...options, outcome: options.outcome === 0 ? 1 : 0 } as const
  return {
    ...tokenSnapshotOf(market, snapshot, options),
    counterpart: tokenSnapshotOf(market, snapshot, counterpart),
  }
}

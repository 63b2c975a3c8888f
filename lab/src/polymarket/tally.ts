/**
 * How the last trade price inside a proved hash was known. All are proofs of the levels; `search` is the
 * weakest, because nothing the venue sent explains the price that made it fit.
 */
export type ProofKind = 'stated' | 'oldValue' | 'touchedLevel' | 'tradeEvent' | 'search'

/** A published hash that the held book never matched. */
export interface Mismatch {
  readonly market: string
  readonly assetId: string
  readonly timestamp: string
  readonly hash: string
  readonly priceChanges: number
  readonly books: number
  /** The token's previous hash had failed already: probably the same cause. */
  readonly follows: boolean
}

/** Settled ones only: a batch or book that may still get a frame is counted in `pending`. */
export interface Counts {
  /** Distinct (asset_id, hash, timestamp) of price changes. */
  batches: number
  provedBatches: number
  /** `book` frames. */
  books: number
  provedBooks: number
  /** Hashes that were never proved; a batch and the identical book after it share one. */
  mismatches: number
}

export interface Tally extends Omit<Counts, 'mismatches'> {
  readonly mismatches: readonly Mismatch[]
  readonly pending: number
  /** One for each proved hash. */
  readonly proofs: Readonly<Record<ProofKind, number>>
  /** Proved batches whose `best_bid` and `best_ask` were not the top of the book. */
  readonly wrongTops: number
  /** Price changes and books of tokens that are not followed. */
  readonly ignored: number
  readonly events: Readonly<Record<string, number>>
  readonly unknownEvents: Readonly<Record<string, number>>
  /** Frames that are not JSON, such as `PONG`. */
  readonly texts: number
  /** Events that violate the documented shape; the first ones are listed in `problems`. */
  readonly problemCount: number
  readonly problems: readonly string[]
  /** By condition id. */
  readonly perMarket: Readonly<Record<string, Readonly<Counts>>>
}

export function noCounts(): Counts {
  return { batches: 0, provedBatches: 0, books: 0, provedBooks: 0, mismatches: 0 }
}

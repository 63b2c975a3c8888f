import { z } from 'zod'
import { PROOFS } from '../../domain/proof.ts'
import { RowWriter } from '../../domain/rows/row-binary.ts'
import { type Snapshot, writeSnapshot } from '../../domain/rows/snapshot.ts'
import { SnapshotRows } from '../../domain/rows/snapshot-rows.ts'
import { SUSPECT, TOKEN_FLAG_NAMES } from '../../domain/snapshot-flags.ts'
import { renderTokenSnapshots, type TokenNames } from '../../rendering/token-snapshots.ts'
import { Instant } from './instant.ts'
import { openEnum } from './json-schema.ts'
import { VenueName } from './venue.ts'

const Pairs = z.array(z.tuple([z.number(), z.number()])).optional()

export const BookFlag = openEnum([...TOKEN_FLAG_NAMES, SUSPECT]).describe(
  'verified: the book has the venue’s hash. unverified: the venue offers a proof, but it does not hold for this book. mirrored: both tokens mirror each other. one_sided: a side is empty. crossed: best bid and ask touch or cross. suspect: put in doubt after it was stored, see gaps. More flags may be added; ignore those you don’t know',
)

export const BookProof = z
  .enum(PROOFS)
  .describe(
    'the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified',
  )

/** One token of a market at one slot, as it was stored. */
export const TokenSnapshot = z
  .object({
    condition_id: z.string(),
    token_id: z.string(),
    side: z.enum(['UP', 'DOWN']),
    event_timestamp: Instant.describe('time of the last change of the book, from the venue'),
    capture_timestamp: Instant.describe('time of the sample'),
    sequence_number: z.int().describe('the slot; it grows by 1 with every sampling interval'),
    best_bid: z.number().describe('0 when there are no bids'),
    best_ask: z.number().describe('1 when there are no asks'),
    mid: z.number(),
    spread: z.number().describe('negative when the book is crossed'),
    bids: Pairs.describe('[price, size], best price first; left out with includebook=false'),
    asks: Pairs.describe('[price, size], best price first; left out with includebook=false'),
    depth5_bid: z.number().describe('sum of the sizes of the best five bids'),
    depth5_ask: z.number().describe('sum of the sizes of the best five asks'),
    spot_crypto_usd: z.number().nullable().describe('spot price of the coin; null where there is none'),
    spot_crypto_age_ms: z.int().nullable().describe('age of the spot price at the time of capture'),
    flags: z.array(BookFlag),
    proof: BookProof,
  })
  .meta({ id: 'TokenSnapshot' })
export type TokenSnapshot = z.infer<typeof TokenSnapshot>

/** A snapshot with exactly the members of the declared schema. */
export const DeclaredSnapshot = TokenSnapshot.omit({ flags: true, proof: true }).meta({ id: 'DeclaredSnapshot' })
type DeclaredSnapshot = z.infer<typeof DeclaredSnapshot>

export interface TokenSnapshotOptions {
  readonly outcome: 0 | 1
  readonly includeBook: boolean
  readonly isSuspect: boolean
}

/** The one renderer of token snapshots reads bytes of rows, so a decoded row is encoded for it. */
export function tokenSnapshotOf(
  market: TokenNames,
  snapshot: Snapshot,
  { outcome, includeBook, isSuspect }: TokenSnapshotOptions,
): TokenSnapshot {
  const writer = new RowWriter()
  writeSnapshot(writer, snapshot)
  const rows = new SnapshotRows(writer.take())
  const text = renderTokenSnapshots(market, rows, [{ index: 0, outcome }], { includeBook, isSuspect: () => isSuspect })
  return JSON.parse(text.slice(1, -1))
}

export function declaredSnapshotOf(
  market: TokenNames,
  snapshot: Snapshot,
  options: Pick<TokenSnapshotOptions, 'outcome' | 'includeBook'>,
): DeclaredSnapshot {
  const {
    flags: _flags,
    proof: _proof,
    ...declared
  } = tokenSnapshotOf(market, snapshot, { ...options, isSuspect: false })
  return declared
}

/** One token of a market at one slot, with the other token in `counterpart`. */
export const PairedSnapshot = z
  .object({
    ...TokenSnapshot.shape,
    counterpart: TokenSnapshot.describe('the other token at the same slot'),
    venue: VenueName,
  })
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
    venue: market.venue,
  }
}

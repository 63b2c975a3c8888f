import { z } from 'zod'
import { COINS } from '../../domain/market.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { spotPriceOf } from '../schemas/book-figures.ts'
import { Cause, GapRecord, gapRecordOf } from '../schemas/gap.ts'
import { TokenSnapshot, tokenSnapshotOf } from '../schemas/snapshot.ts'
import { VenueName } from '../schemas/venue.ts'
import type { Stores } from '../stores.ts'
import { bookAsOf } from './book-as-of.ts'
import type { FoundMarket } from './found-market.ts'
import { MatchedBy } from './match-slug.ts'
import { PerpAsOf, perpAsOf } from './perp-as-of.ts'
import type { PerpReads } from './perp-reads.ts'

export const MarketAsOf = z
  .object({
    requested: z.string().describe('the entry of `markets`'),
    market_id: z.string().nullable(),
    slug: z.string().nullable(),
    matched_by: MatchedBy.nullable(),
    status: z
      .enum(['ok', 'gap', 'outside_capture', 'not_recorded_yet', 'retention', 'unknown'])
      .describe('ok, or why there is no book'),
    cause: Cause.nullable(),
    gap: GapRecord.nullable(),
    age_ms: z.int().nullable().describe('age of the sample at the requested time; never negative'),
    up: TokenSnapshot.nullable(),
    down: TokenSnapshot.nullable(),
    spot_crypto_usd: z.number().nullable(),
    spot_crypto_age_ms: z.int().nullable().describe('age at the requested time'),
    perp: PerpAsOf.nullable().describe('book of the perpetual future of the market’s coin'),
    venue: VenueName.nullable(),
  })
  .meta({ id: 'MarketAsOf' })
export type MarketAsOf = z.infer<typeof MarketAsOf>

interface AsOfOptions {
  readonly atMs: number
  readonly nowMs: number
  readonly includeBook: boolean
}

const NOTHING = {
  market_id: null,
  slug: null,
  matched_by: null,
  cause: null,
  gap: null,
  age_ms: null,
  up: null,
  down: null,
  spot_crypto_usd: null,
  spot_crypto_age_ms: null,
  perp: null,
  venue: null,
}

export function unknownAsOf(requested: string): MarketAsOf {
  return { ...NOTHING, requested, status: 'unknown' }
}

/** What was known of a market at a time. */
export async function marketAsOf(
  { stores, perps }: { readonly stores: Stores; readonly perps: PerpReads },
  requested: string,
  { market, matchedBy }: { readonly market: FoundMarket; readonly matchedBy: MatchedBy },
  options: AsOfOptions,
): Promise<MarketAsOf> {
  const { atMs, nowMs } = options
  const coin = market.category === 'crypto' ? COINS.find((each) => each === market.subcategory) : undefined
  const [book, perp] = await Promise.all([
    bookAsOf(stores, market, atMs, nowMs),
    coin === undefined || atMs >= perps.untilMs ? null : perpAsOf(perps, coin, options),
  ])
  const { id, slug, venue } = market
  const head = { ...NOTHING, requested, market_id: id, slug, matched_by: matchedBy, perp, venue }
  if ('snapshot' in book) return { ...head, ...rowOf(market, book.snapshot, book.isSuspect, options), status: 'ok' }
  if (book.reason !== 'gap') return { ...head, status: book.reason }
  const gap = book.gap ? gapRecordOf(book.gap) : null
  return { ...head, status: 'gap', cause: gap?.cause ?? null, gap }
}

function rowOf(market: FoundMarket, snapshot: Snapshot, isSuspect: boolean, { atMs, includeBook }: AsOfOptions) {
  const ageMs = Math.round(atMs - snapshot.capturedAtMs)
  const spot = spotPriceOf(snapshot)
  return {
    age_ms: ageMs,
    up: tokenSnapshotOf(market, snapshot, { outcome: 0, includeBook, isSuspect }),
    down: tokenSnapshotOf(market, snapshot, { outcome: 1, includeBook, isSuspect }),
    spot_crypto_usd: spot ?? null,
    spot_crypto_age_ms: spot === undefined ? null : snapshot.spotAgeMs + ageMs,
  }
}

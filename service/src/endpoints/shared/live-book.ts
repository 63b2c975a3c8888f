import { z } from 'zod'
import { ApiError, noRecentData } from '../../domain/api-error.ts'
import { LIVE_FOR_MS } from '../../domain/plan.ts'
import { REFERENCE_SOURCES } from '../../domain/price.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import { DEFAULT_VENUE, proofOf } from '../../venue-registry.ts'
import type { Table } from '../endpoint.ts'
import { spotMembersOf, spotPriceOf } from '../schemas/book-figures.ts'
import { DeclaredTokenBook, declaredTokenBookOf } from '../schemas/declared-token-book.ts'
import { TokenBook, tokenBookOf } from '../schemas/token-book.ts'
import { VenueName } from '../schemas/venue.ts'
import type { Stores } from '../stores.ts'
import type { FoundMarket } from './found-market.ts'
import { isActive, isUpDown } from './market-flags.ts'

/** The bus and the hot worker delay a row on its way to Redis. */
const FRESH_WITHIN_MS = 2_500

export const MarketOrderbook = z
  .object({
    market_id: z.string(),
    marketId: z.string().describe('same as market_id'),
    category: z.string(),
    subcategory: z.string(),
    label: z.string(),
    question: z.string(),
    timeframe: z.string(),
    slug: z.string(),
    crypto: z.string().describe('the coin; empty for other categories'),
    crypto_price: z
      .number()
      .optional()
      .describe('spot price of the coin in USD; left out when it is unknown; 0 for other categories'),
    cryptoPrice: z.number().optional().describe('same as crypto_price'),
    crypto_price_source: z.enum(REFERENCE_SOURCES).optional().describe('where crypto_price comes from'),
    stale: z.boolean().describe('there is no current book; this is the last trusted one'),
    age_ms: z.int().describe('age of the sample'),
    venue: VenueName,
    up: TokenBook,
    down: TokenBook,
  })
  .meta({ id: 'MarketOrderbook' })
export type MarketOrderbook = z.infer<typeof MarketOrderbook>

/** Only the token books have a second form; the members of the market are the same. */
const declaredBooks = { up: DeclaredTokenBook, down: DeclaredTokenBook }
export const DeclaredOrderbook = MarketOrderbook.extend(declaredBooks).meta({ id: 'DeclaredOrderbook' })
type DeclaredOrderbook = z.infer<typeof DeclaredOrderbook>

interface TokenBooks {
  readonly up: TokenBook
  readonly down: TokenBook
}

/** Computed once per slot: the store returns the same object until there is a newer row. */
const tokenBooks = new WeakMap<Snapshot, TokenBooks>()
const tokenTexts = new WeakMap<TokenBook, string>()

/** The current book, or the last trusted one of the last minute. A crossed book is never shown. */
export async function liveBook(
  stores: Pick<Stores, 'books'>,
  market: FoundMarket,
  nowMs: number,
  includeBook: boolean,
): Promise<MarketOrderbook> {
  return bookOf(market, await liveSnapshot(stores, market, nowMs), nowMs, includeBook)
}

/** The same book in the declared form. */
export async function declaredLiveBook(
  stores: Stores,
  market: FoundMarket,
  nowMs: number,
  includeBook: boolean,
): Promise<DeclaredOrderbook> {
  const snapshot = await liveSnapshot(stores, market, nowMs)
  const declared = (outcome: 0 | 1) => declaredTokenBookOf(snapshot, market.tokenIds[outcome], outcome, includeBook)
  return { ...bookOf(market, snapshot, nowMs, false), up: declared(0), down: declared(1) }
}

/** Only a market that has not reached its end has a live book. */
export async function liveSnapshot(
  { books }: Pick<Stores, 'books'>,
  market: FoundMarket,
  nowMs: number,
): Promise<Snapshot> {
  requireActive(market)
  const snapshot = await books.read(market.id, nowMs)
  if (snapshot !== undefined && nowMs - snapshot.capturedAtMs <= LIVE_FOR_MS) return snapshot
  throw noRecentData({ details: { market_id: market.id, status: market.status }, retryAfterSeconds: 1 })
}

/** How a slug led to a market, for the error that refuses its live book. */
interface SlugOrigin {
  readonly matched_by: string
  readonly requested_slug?: string | undefined
}

/** Throws `market_closed` for a market that is past its end, also while its outcome is not known. */
export function requireActive(market: FoundMarket, origin?: SlugOrigin): void {
  if (isActive(market.status)) return
  const { id, slug, status } = market
  const how = origin && `The slug matches ${slug || id} (${origin.matched_by}). `
  throw new ApiError(
    'market_closed',
    `${how ?? ''}${whyClosed(market)} Use /v1/markets/{id}/snapshots for its history${nextOf(market)}.`,
    { details: { market_id: id, slug, status, ...origin } },
  )
}

function whyClosed({ status, recorded }: FoundMarket): string {
  if (recorded !== undefined) return 'This market is no longer in the catalogue, so it has no live book.'
  return status === 'settling'
    ? 'This market is past its end and its outcome is not known yet, so it has no live book.'
    : 'This market has ended.'
}

function nextOf(market: FoundMarket): string {
  if (!isUpDown(market)) return ''
  const venue = market.venue === '' || market.venue === DEFAULT_VENUE ? '' : `?venue=${market.venue}`
  return `, or /v1/markets/by-slug/${market.subcategory.toLowerCase()}-updown-${market.timeframe}/orderbook${venue} for the current window`
}

/** The JSON of a reply, from texts that are written once per slot. */
export function renderBook<Reply extends TokenBooks>({ up, down, ...market }: Reply): string {
  return `${JSON.stringify(market).slice(0, -1)},"up":${textOf(up)},"down":${textOf(down)}}`
}

function bookOf(market: FoundMarket, snapshot: Snapshot, nowMs: number, includeBook: boolean): MarketOrderbook {
  const { id, venue, category, subcategory, label, question, timeframe, slug } = market
  const isCrypto = category === 'crypto'
  const spot = isCrypto ? spotPriceOf(snapshot) : 0
  const ageMs = Math.max(0, Math.round(nowMs - snapshot.capturedAtMs))
  const { up, down } = tokenBooksOf(market, snapshot)
  return {
    market_id: id,
    marketId: id,
    category,
    subcategory,
    label,
    question,
    timeframe,
    slug,
    crypto: isCrypto ? subcategory : '',
    ...(spot !== undefined && { crypto_price: spot, cryptoPrice: spot }),
    ...(isCrypto && spotMembersOf(snapshot)),
    stale: isStale(ageMs, market.captureIntervalMs),
    age_ms: ageMs,
    venue,
    up: includeBook ? up : withoutLadders(up),
    down: includeBook ? down : withoutLadders(down),
  }
}

/** Whether the book of the next slot should have come by now. */
export function isStale(ageMs: number, captureIntervalMs: number): boolean {
  return ageMs > captureIntervalMs + FRESH_WITHIN_MS
}

function tokenBooksOf({ tokenIds, venue }: FoundMarket, snapshot: Snapshot): TokenBooks {
  const known = tokenBooks.get(snapshot)
  if (known !== undefined) return known
  const proof = proofOf(venue)
  const made = { up: tokenBookOf(snapshot, tokenIds[0], 0, proof), down: tokenBookOf(snapshot, tokenIds[1], 1, proof) }
  for (const book of [made.up, made.down]) tokenTexts.set(book, JSON.stringify(book))
  tokenBooks.set(snapshot, made)
  return made
}

function withoutLadders({ bids: _bids, asks: _asks, ...book }: TokenBook): TokenBook {
  return book
}

function textOf(book: TokenBook): string {
  return tokenTexts.get(book) ?? JSON.stringify(book)
}

/** Members of the market that a later version added: their columns are the last ones, because callers may count columns. */
const LATER_MEMBERS: readonly string[] = ['crypto_price_source', 'venue']

/** Two rows, UP and DOWN, each with the members of the market. */
export function bookTable<Schema extends z.ZodObject<{ up: z.ZodObject; down: z.ZodObject }>>(
  reply: Schema,
): Table<z.output<Schema>> {
  const { up: tokenBook, down: _, ...ofMarket } = reply.shape
  const former = Object.keys(ofMarket).filter((name) => !LATER_MEMBERS.includes(name))
  return {
    columns: [...new Set(['side', ...former, ...Object.keys(tokenBook.shape), ...LATER_MEMBERS])],
    rows: ({ up, down, ...market }) => [
      { side: 'UP', ...market, ...up },
      { side: 'DOWN', ...market, ...down },
    ],
    inRows: 'all',
  }
}

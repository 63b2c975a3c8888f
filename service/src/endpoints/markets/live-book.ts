import { z } from 'zod'
import { ApiError, noRecentData } from '../../domain/api-error.ts'
import type { Snapshot } from '../../domain/rows/snapshot.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { spotPriceOf } from '../schemas/spot-price.ts'
import { TokenBook, tokenBookOf } from '../schemas/token-book.ts'
import { LIVE_FOR_MS } from '../shared/live-for.ts'
import type { Stores } from '../stores.ts'

/** Between a slot and its row in Redis lie the bus and the hot role. */
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
    crypto_price: z.number().describe('spot price of the coin in USD; 0 where there is none'),
    cryptoPrice: z.number().describe('same as crypto_price'),
    stale: z.boolean().describe('the book is in a gap: this is the last one that was trusted'),
    age_ms: z.int().describe('time since the sample was taken'),
    up: TokenBook,
    down: TokenBook,
  })
  .meta({ id: 'MarketOrderbook' })
export type MarketOrderbook = z.infer<typeof MarketOrderbook>

interface TokenBooks {
  readonly up: TokenBook
  readonly down: TokenBook
}

/** Made once for each slot, however many ask: the store gives the same object as long as there is no newer row. */
const tokenBooks = new WeakMap<Snapshot, TokenBooks>()
const tokenTexts = new WeakMap<TokenBook, string>()

/** The book as it is now, or as it was when it was last trusted, up to a minute ago. A crossed one is never shown. */
export async function liveBook(
  { books }: Stores,
  market: StoredMarket,
  nowMs: number,
  includeBook: boolean,
): Promise<MarketOrderbook> {
  if (market.status === 'expired') throw marketClosed(market)
  const snapshot = await books.read(market.id, nowMs)
  if (snapshot === undefined || nowMs - snapshot.capturedAtMs > LIVE_FOR_MS) {
    throw noRecentData({ details: { market_id: market.id, status: market.status }, retryAfterSeconds: 1 })
  }
  return bookOf(market, snapshot, nowMs, includeBook)
}

export function marketClosed({ id, slug, status }: StoredMarket): ApiError {
  return new ApiError('market_closed', 'This market has ended. Its history is served under /snapshots.', {
    details: { market_id: id, slug, status },
  })
}

/** The JSON of a reply, from text that is made once for each slot. */
export function renderBook<Reply extends TokenBooks>({ up, down, ...market }: Reply): string {
  return `${JSON.stringify(market).slice(0, -1)},"up":${textOf(up)},"down":${textOf(down)}}`
}

function bookOf(market: StoredMarket, snapshot: Snapshot, nowMs: number, includeBook: boolean): MarketOrderbook {
  const { id, category, subcategory, label, question, timeframe, slug } = market
  const spot = spotPriceOf(snapshot) ?? 0
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
    crypto: category === 'crypto' ? subcategory : '',
    crypto_price: spot,
    cryptoPrice: spot,
    stale: ageMs > market.captureIntervalMs + FRESH_WITHIN_MS,
    age_ms: ageMs,
    up: includeBook ? up : withoutLadders(up),
    down: includeBook ? down : withoutLadders(down),
  }
}

function tokenBooksOf({ tokenIds }: StoredMarket, snapshot: Snapshot): TokenBooks {
  const known = tokenBooks.get(snapshot)
  if (known !== undefined) return known
  const made = { up: tokenBookOf(snapshot, tokenIds[0], 0, true), down: tokenBookOf(snapshot, tokenIds[1], 1, true) }
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

import type { Ladders } from '../../domain/book.ts'
import { PRICE_DECIMALS, textOf } from '../../domain/decimal.ts'
import type { Market } from '../../domain/market.ts'
import type { BookEvent, ChangeEntry } from '../venue.ts'
import type { HashClues } from './hash-clues.ts'
import { HashedBook } from './hashed-book.ts'
import { EVERY_LAST_TRADE_TEXT, lastTradeTexts } from './last-trade.ts'

/** Everything that the venue sends with one hash and time: changes, the whole book after a trade, or both. */
interface Batch {
  hash: string
  eventAtMs: number
  /** When its first and its newest frame were received. */
  sinceMs: number
  lastAtMs: number
  isProved: boolean
  /** Prices of changed levels: a trade changes the level at its own price. */
  touched: Set<number>
  wereTouchedTried: boolean
  lastTradeAtStart: string | undefined
  bestBid: number | undefined
  bestAsk: number | undefined
}

const PAST_HASHES = 16
const NO_PRICES: ReadonlySet<number> = new Set()

/** One token's book, and whether it matches the venue's hash. */
export class TokenProof {
  readonly #market: Market
  readonly #tokenId: string
  readonly #clues: HashClues
  #book: HashedBook | undefined
  #batch: Batch | undefined
  /** The newest proved hashes; a hash includes its time, so each is unique. */
  #past: string[] = []

  constructor(market: Market, tokenId: string, clues: HashClues) {
    this.#market = market
    this.#tokenId = tokenId
    this.#clues = clues
  }

  get isHeld(): boolean {
    return this.#book !== undefined
  }

  get isProved(): boolean {
    return this.#batch?.isProved === true
  }

  get isPending(): boolean {
    return this.#batch?.isProved === false
  }

  get batch(): Readonly<Batch> | undefined {
    return this.#batch
  }

  get isCrossed(): boolean {
    return this.#book?.levels.isCrossed === true
  }

  ladders(): Ladders {
    return this.#book?.levels.ladders() ?? { bids: [], asks: [] }
  }

  drop(): void {
    this.#book = undefined
    this.#batch = undefined
    this.#past = []
  }

  wasProvedBefore(hash: string): boolean {
    return this.#past.includes(hash)
  }

  isSameBatch(hash: string, eventAtMs: number): boolean {
    return this.#batch?.hash === hash && this.#batch.eventAtMs === eventAtMs
  }

  /** The prices at which the event's book differs from ours; empty when we hold no book. */
  differencesTo(event: BookEvent): ReadonlySet<number> {
    return this.#book === undefined ? NO_PRICES : changedPrices(this.#book.levels, event)
  }

  /** Applies one change of the current batch. A repeat of a proved batch is ignored. */
  change({ side, price, size, bestBid, bestAsk }: ChangeEntry, atMs: number): void {
    const batch = this.#batch
    if (batch === undefined || this.#book === undefined) return
    batch.lastAtMs = atMs
    if (batch.isProved) return
    this.#book.set(side, price, size)
    batch.touched.add(price)
    batch.bestBid = bestBid
    batch.bestAsk = bestAsk
  }

  /** Replaces the held book, which differs at these prices. Throws for invalid levels. */
  replace(event: BookEvent, differences: Iterable<number>, atMs: number): void {
    const book = new HashedBook(this.#market, this.#tokenId)
    book.replace(event)
    if (!this.isSameBatch(event.hash, event.eventAtMs)) this.begin(event.hash, event.eventAtMs, atMs)
    for (const price of differences) this.#batch?.touched.add(price)
    this.confirm(atMs)
    this.#book = book
  }

  /** The venue has sent the same book again. */
  confirm(atMs: number): void {
    if (this.#batch !== undefined) this.#batch.lastAtMs = atMs
  }

  /** Begins a batch with a new hash; changes of an unproved batch before it stay pending. */
  begin(hash: string, eventAtMs: number, atMs: number): void {
    const open = this.isPending ? this.#batch : undefined
    this.#batch = {
      hash,
      eventAtMs,
      sinceMs: open?.sinceMs ?? atMs,
      lastAtMs: atMs,
      isProved: false,
      touched: open?.touched ?? new Set(),
      wereTouchedTried: false,
      lastTradeAtStart: this.#clues.lastTradeText,
      bestBid: undefined,
      bestAsk: undefined,
    }
  }

  /** The usual and cheapest case: no trade since the last proof. */
  tryKnown(atMs: number): boolean {
    const { lastTradeText } = this.#clues
    return lastTradeText !== undefined && this.#try([lastTradeText], atMs)
  }

  /** Tries trades at the changed levels; for a batch that seems complete and has another hash. */
  tryTouched(atMs: number): boolean {
    const batch = this.#batch
    if (batch === undefined || batch.isProved) return batch?.isProved === true
    batch.wereTouchedTried = true
    const texts = new Set([...batch.touched].flatMap(lastTradeTexts))
    if (batch.lastTradeAtStart !== undefined) texts.add(batch.lastTradeAtStart)
    return this.#try(texts, atMs)
  }

  tryTraded(atMs: number): boolean {
    return this.#try(this.#clues.tradedTexts(atMs), atMs)
  }

  tryEverything(atMs: number): boolean {
    return this.#try(EVERY_LAST_TRADE_TEXT, atMs)
  }

  /** Details for the gap record of a mismatch. */
  describe(): string {
    const { bestBid, bestAsk } = this.#book?.levels ?? {}
    const { hash = '', touched, bestBid: venueBid, bestAsk: venueAsk } = this.#batch ?? {}
    const outcome = this.#market.tokenIds.indexOf(this.#tokenId)
    const held = `${priceText(bestBid)}/${priceText(bestAsk)}`
    return `outcome ${outcome}, hash ${hash.slice(0, 8)}, ${touched?.size ?? 0} levels changed, our best prices ${held}, the venue's ${priceText(venueBid)}/${priceText(venueAsk)}`
  }

  #try(lastTradeTexts: Iterable<string>, atMs: number): boolean {
    const batch = this.#batch
    if (batch === undefined || this.#book === undefined) return false
    if (batch.isProved) return true
    for (const tickSize of this.#clues.tickSizes(atMs)) {
      const fitting = this.#book.proveWith(batch.hash, batch.eventAtMs, tickSize, lastTradeTexts)
      if (fitting === undefined) continue
      this.#clues.lastTradeText = fitting
      batch.isProved = true
      if (this.#past.push(batch.hash) > PAST_HASHES) this.#past.shift()
      return true
    }
    return false
  }
}

function priceText(price: number | undefined): string {
  return price === undefined ? '-' : textOf(price, PRICE_DECIMALS)
}

function changedPrices(before: Ladders, after: Ladders): Set<number> {
  const changed = new Set<number>()
  for (const side of ['bids', 'asks'] as const) {
    const left = new Map(before[side].map(({ price, size }) => [price, size]))
    for (const { price, size } of after[side]) {
      if (left.get(price) !== size) changed.add(price)
      left.delete(price)
    }
    for (const price of left.keys()) changed.add(price)
  }
  return changed
}

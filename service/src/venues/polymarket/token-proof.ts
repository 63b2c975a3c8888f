import type { Ladders } from '../../domain/book.ts'
import { PRICE_DECIMALS, textOf } from '../../domain/decimal.ts'
import type { Market } from '../../domain/market.ts'
import type { BookEvent, ChangeEntry } from '../venue.ts'
import type { HashClues } from './hash-clues.ts'
import { HashedBook } from './hashed-book.ts'
import { EVERY_LAST_TRADE_TEXT, lastTradeTexts } from './last-trade.ts'

/** All that the venue sends under one hash and time: some changes, the whole book after a trade, or both. */
interface Batch {
  hash: string
  eventAtMs: number
  /** When its first and its newest frame were received. */
  sinceMs: number
  lastAtMs: number
  isProved: boolean
  /** Prices that changed: a trade takes from the level at its own price. */
  touched: Set<number>
  wereTouchedTried: boolean
  lastTradeAtStart: string | undefined
  bestBid: number | undefined
  bestAsk: number | undefined
}

const PAST_HASHES = 16
const NO_PRICES: ReadonlySet<number> = new Set()

/** One token's book and whether it is what the venue says it is. */
export class TokenProof {
  readonly #market: Market
  readonly #tokenId: string
  readonly #clues: HashClues
  #book: HashedBook | undefined
  #batch: Batch | undefined
  /** The newest proved hashes; each holds its time, so that it names one moment. */
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

  /** The prices at which the event's book and ours differ: none when they are the same, or when we hold none. */
  differencesTo(event: BookEvent): ReadonlySet<number> {
    return this.#book === undefined ? NO_PRICES : changedPrices(this.#book.levels, event)
  }

  /** Takes one change of a batch that has begun. What repeats a proved batch is passed over. */
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

  /** Takes the place of what was held, from which it differs at these prices. Throws for levels that no book can have. */
  replace(event: BookEvent, differences: Iterable<number>, atMs: number): void {
    const book = new HashedBook(this.#market, this.#tokenId)
    book.replace(event)
    if (!this.isSameBatch(event.hash, event.eventAtMs)) this.begin(event.hash, event.eventAtMs, atMs)
    for (const price of differences) this.#batch?.touched.add(price)
    this.confirm(atMs)
    this.#book = book
  }

  /** The venue has said the same again. */
  confirm(atMs: number): void {
    if (this.#batch !== undefined) this.#batch.lastAtMs = atMs
  }

  /** A new hash begins; what the one before left open goes on being open. */
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

  /** The usual case and the cheapest: nothing was traded since. */
  tryKnown(atMs: number): boolean {
    const { lastTradeText } = this.#clues
    return lastTradeText !== undefined && this.#try([lastTradeText], atMs)
  }

  /** A trade at one of the levels that changed; worth trying when a batch seems complete and doesn't fit. */
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

  /** In the words of a person who has to find out what went wrong. */
  describe(): string {
    const { bestBid, bestAsk } = this.#book?.levels ?? {}
    const { hash = '', touched, bestBid: saidBid, bestAsk: saidAsk } = this.#batch ?? {}
    const outcome = this.#market.tokenIds.indexOf(this.#tokenId)
    const held = `${priceText(bestBid)}/${priceText(bestAsk)}`
    return `outcome ${outcome}, hash ${hash.slice(0, 8)}, ${touched?.size ?? 0} levels touched, best ${held}, echoed ${priceText(saidBid)}/${priceText(saidAsk)}`
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

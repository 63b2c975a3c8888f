import { type Ladders, PRICE_ONE, sameLadders } from '../../domain/book.ts'
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
  /** Not proved, but trusted: by REST, or because the venue's hashes prove nothing at the moment. */
  isTrusted: boolean
  /** Counted as a failed check. */
  hasFailed: boolean
  /** Prices of changed levels: a trade changes the level at its own price. */
  touched: Set<number>
  wereTouchedTried: boolean
  lastTradeAtStart: string | undefined
  bestBid: number | undefined
  bestAsk: number | undefined
}

/** A state that the venue announced and that no hash proved; REST may confirm it. */
interface Announced {
  hash: string
  ladders: Ladders
}

/** See `BinaryBook.checkpoint`. */
export interface TokenCheckpoint {
  readonly ladders?: Ladders | undefined
  readonly batch?: (Omit<Batch, 'touched'> & { readonly touched: readonly number[] }) | undefined
  readonly past: readonly string[]
  readonly failures: number
  readonly failingSinceMs?: number | undefined
  readonly announced: readonly Announced[]
  readonly passes: number
  readonly completeUntilMs?: number | undefined
}

/** Repeated frames were seen up to 120 ms after the first. */
const PAST_HASHES = 64
const MOST_ANNOUNCED = 128
/** More levels than one trade changes: after several failed checks, a search among them takes too long. */
const MOST_TOUCHED = 32
/** Hashes that fail for so many comparisons, although the stream is complete, will fail for longer. */
const PASSES_TO_TRUST = 3
/** Longer than from the first failed check to the next comparison; otherwise an old state would be sampled for ever. */
const COMPLETE_FOR_MS = 2_000
const NO_PRICES: ReadonlySet<number> = new Set()

/** One token's book, and whether it matches the venue's hash. */
export class TokenProof {
  readonly #market: Market
  readonly #tokenId: string
  readonly #clues: HashClues
  #book: HashedBook | undefined
  #batch: Batch | undefined
  /** The newest hashes whose batches have ended; a hash includes its time, so each is unique. */
  #past: string[] = []
  #failures = 0
  #failingSinceMs: number | undefined
  /** The states since the first failed check. */
  #announced: Announced[] = []
  /** Comparisons with REST that were passed since the last proof. */
  #passes = 0
  /** REST has shown again and again that the stream is complete, so states are trusted until then. */
  #completeUntilMs = Number.NEGATIVE_INFINITY

  constructor(market: Market, tokenId: string, clues: HashClues) {
    this.#market = market
    this.#tokenId = tokenId
    this.#clues = clues
  }

  checkpoint(): TokenCheckpoint {
    const batch = this.#batch
    return {
      ladders: this.#book?.levels.ladders(),
      batch: batch && { ...batch, touched: [...batch.touched] },
      past: [...this.#past],
      failures: this.#failures,
      failingSinceMs: this.#failingSinceMs,
      announced: [...this.#announced],
      passes: this.#passes,
      // JSON has no infinity.
      completeUntilMs: Number.isFinite(this.#completeUntilMs) ? this.#completeUntilMs : undefined,
    }
  }

  restore(checkpoint: TokenCheckpoint): void {
    const { ladders, batch, past, failures, failingSinceMs, announced, passes, completeUntilMs } = checkpoint
    this.#book = ladders && new HashedBook(this.#market, this.#tokenId)
    if (ladders !== undefined) this.#book?.replace(ladders)
    // A member without value is missing in JSON.
    const { lastTradeAtStart, bestBid, bestAsk } = batch ?? {}
    this.#batch = batch && { ...batch, touched: new Set(batch.touched), lastTradeAtStart, bestBid, bestAsk }
    this.#past = [...past]
    this.#failures = failures
    this.#failingSinceMs = failingSinceMs
    this.#announced = [...announced]
    this.#passes = passes
    this.#completeUntilMs = completeUntilMs ?? Number.NEGATIVE_INFINITY
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

  /** Whether the newest state may be sampled. */
  get isTrusted(): boolean {
    return this.#batch !== undefined && (this.#batch.isProved || this.#batch.isTrusted)
  }

  /** Whether states may be trusted although their hash fails. */
  isComplete(nowMs: number): boolean {
    return nowMs < this.#completeUntilMs
  }

  /** Checks that failed since the last proof. */
  get failures(): number {
    return this.#failures
  }

  /** When the first of these batches began. */
  get failingSinceMs(): number | undefined {
    return this.#failingSinceMs
  }

  /** Whether our best prices are those that the venue sent with the newest change. */
  get isEchoEqual(): boolean {
    const { bestBid = 0, bestAsk = PRICE_ONE } = this.#book?.levels ?? {}
    const { bestBid: venueBid = bestBid, bestAsk: venueAsk = bestAsk } = this.#batch ?? {}
    return venueBid === bestBid && venueAsk === bestAsk
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
    this.#notComplete()
    this.#passed()
  }

  /** The batch is complete or too old, and no candidate fits its hash. A later proof makes this a harmless failure. */
  fail(): void {
    const batch = this.#batch
    if (batch === undefined || batch.isProved || batch.hasFailed) return
    batch.hasFailed = true
    this.#failures++
    this.#failingSinceMs ??= batch.sinceMs
    this.#end(batch.hash)
    this.#announce()
  }

  /** Accepts the newest state without proof. */
  trust(): void {
    if (this.#batch === undefined) return
    this.#batch.isTrusted = true
    this.#passed()
  }

  /**
   * REST has confirmed a state since the first failed check, so the stream is complete; the newest state is trusted if it
   * is that one. Returns whether the hash of REST proves it.
   */
  passComparison({ bids, asks, hash, eventAtMs }: BookEvent, nowMs: number): boolean {
    this.#passed()
    if (++this.#passes >= PASSES_TO_TRUST) this.#completeUntilMs = nowMs + COMPLETE_FOR_MS
    const batch = this.#batch
    if (batch === undefined || batch.isProved) return false
    batch.hasFailed = false
    batch.isTrusted = sameLadders(this.ladders(), bestFirst({ bids, asks }))
    if (!batch.isTrusted || batch.hash === hash) return false
    // The frame that came last may be older than others; REST may know the right hash and time of the same levels.
    const own = { hash: batch.hash, eventAtMs: batch.eventAtMs }
    Object.assign(batch, { hash, eventAtMs })
    const isProved = this.tryKnown(nowMs)
    if (isProved) this.#end(own.hash)
    else Object.assign(batch, own)
    return isProved
  }

  /** Whether one of the states since the first failed check has these levels. */
  wasAnnounced({ bids, asks }: BookEvent): boolean {
    this.#announce()
    const wanted = bestFirst({ bids, asks })
    return this.#announced.some(({ ladders }) => sameLadders(ladders, wanted))
  }

  /** Whether frames of this batch are repetitions, or came too late. */
  hasEnded(hash: string): boolean {
    return this.#batch?.hash !== hash && this.#past.includes(hash)
  }

  isSameBatch(hash: string, eventAtMs: number): boolean {
    return this.#batch?.hash === hash && this.#batch.eventAtMs === eventAtMs
  }

  /** Whether a change begins a batch. Changes alone never build a book, so a token without a book has no batches. */
  isNewBatch(hash: string, eventAtMs: number): boolean {
    return this.isHeld && !this.hasEnded(hash) && !this.isSameBatch(hash, eventAtMs)
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

  /** Begins a batch with a new hash; a trade of an unproved batch before it may be part of the new hash. */
  begin(hash: string, eventAtMs: number, atMs: number): void {
    const open = this.isPending ? this.#batch : undefined
    this.#batch = {
      hash,
      eventAtMs,
      sinceMs: atMs,
      lastAtMs: atMs,
      isProved: false,
      isTrusted: false,
      hasFailed: false,
      touched: open !== undefined && open.touched.size <= MOST_TOUCHED ? open.touched : new Set(),
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
      const inputs = { rule: this.#clues.rule, eventAtMs: batch.eventAtMs, tickSize }
      const fitting = this.#book.proveWith(batch.hash, inputs, lastTradeTexts)
      if (fitting === undefined) continue
      this.#clues.lastTradeText = fitting
      this.#proved(batch)
      return true
    }
    return false
  }

  /** The venue may have changed its rule, or the catalogue may have a wrong version. */
  tryOtherRules(atMs: number): boolean {
    const { rule, otherRules, lastTradeText } = this.#clues
    if (lastTradeText === undefined) return false
    for (const other of otherRules) {
      this.#clues.noteRule(other)
      // With recent trades too, every failed check would take a millisecond.
      if (this.#try([lastTradeText], atMs)) return true
    }
    this.#clues.noteRule(rule)
    return false
  }

  #proved(batch: Batch): void {
    batch.isProved = true
    this.#notComplete()
    this.#end(batch.hash)
    this.#passed()
  }

  #end(hash: string): void {
    if (this.#past.push(hash) > PAST_HASHES) this.#past.shift()
  }

  #notComplete(): void {
    this.#passes = 0
    this.#completeUntilMs = Number.NEGATIVE_INFINITY
  }

  #passed(): void {
    if (this.#failingSinceMs === undefined) return
    this.#failures = 0
    this.#failingSinceMs = undefined
    this.#announced = []
  }

  /** Keeps the newest state for a comparison with REST. */
  #announce(): void {
    const { hash } = this.#batch ?? {}
    if (hash === undefined) return
    const state = { hash, ladders: this.ladders() }
    if (this.#announced.at(-1)?.hash === hash) this.#announced.pop()
    if (this.#announced.push(state) > MOST_ANNOUNCED) this.#announced.shift()
  }
}

/** A book may have its levels in any order. */
export function bestFirst({ bids, asks }: Ladders): Ladders {
  return {
    bids: bids.toSorted((one, other) => other.price - one.price),
    asks: asks.toSorted((one, other) => one.price - other.price),
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

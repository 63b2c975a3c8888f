import type { Market } from '../../domain/market.ts'
import type {
  BinaryBook,
  BookEvent,
  ChangeEvent,
  Doubt,
  ProvedState,
  RaisedDoubt,
  TickEvent,
  TradeEvent,
} from '../venue.ts'
import { HashClues } from './hash-clues.ts'
import { SearchBudget } from './search-budget.ts'
import { TokenProof } from './token-proof.ts'

/** What nothing has completed by then never will be. */
const PENDING_LIMIT_MS = 250
const MOST_RAISED = 100

/**
 * The two books of one market, each proved by the venue's hash. There is no sequence number: a hash that
 * fits is the only sign that nothing was lost, and one that never fits the only sign that something was.
 */
export class ProvedBook implements BinaryBook {
  readonly market: Market
  readonly #clues: HashClues
  readonly #tokens: readonly [TokenProof, TokenProof]
  #state: ProvedState | undefined
  #doubt: Doubt | undefined
  #provedAtMs: number | undefined
  #changeCount = 0
  #raised: RaisedDoubt[] = []
  /** Since when both tokens are proved, but as of different times. */
  #unevenSinceMs: number | undefined

  constructor(market: Market, budget = new SearchBudget()) {
    this.market = market
    this.#clues = new HashClues(budget)
    this.#tokens = [
      new TokenProof(market, market.tokenIds[0], this.#clues),
      new TokenProof(market, market.tokenIds[1], this.#clues),
    ]
  }

  get proved(): ProvedState | undefined {
    return this.#state
  }

  get doubt(): Doubt | undefined {
    return this.#doubt
  }

  get provedAtMs(): number | undefined {
    return this.#provedAtMs
  }

  takeChangeCount(): number {
    const count = this.#changeCount
    this.#changeCount = 0
    return count
  }

  takeDoubts(): readonly RaisedDoubt[] {
    const raised = this.#raised
    if (raised.length > 0) this.#raised = []
    return raised
  }

  take(event: BookEvent | ChangeEvent | TradeEvent | TickEvent, receivedAtMs: number): void {
    switch (event.kind) {
      case 'change':
        return this.#takeChange(event, receivedAtMs)
      case 'book':
        return this.#takeBook(event, receivedAtMs)
      case 'trade':
        this.#clues.noteTrade(event.trade.price, receivedAtMs)
        for (const token of this.#tokens) if (token.isPending) token.tryTraded(receivedAtMs)
        return this.#judge(receivedAtMs)
      case 'tick':
        // The book is one, shown twice, and so is its tick: whichever token tells first tells for both.
        this.#clues.noteTick(event.tickSize, receivedAtMs)
        for (const token of this.#tokens) if (token.isPending) token.tryKnown(receivedAtMs)
        return this.#judge(receivedAtMs)
    }
  }

  settle(nowMs: number): void {
    for (const token of this.#tokens) {
      if (!token.isPending || token.batch === undefined) continue
      if (!token.batch.wereTouchedTried && token.tryTouched(nowMs)) continue
      if (nowMs - token.batch.sinceMs < PENDING_LIMIT_MS) continue
      if (!this.#tryHard(token, nowMs)) return this.#refute(token, nowMs)
    }
    this.#judge(nowMs)
  }

  distrust(doubt: Doubt): void {
    this.#doubt = doubt
    this.#state = undefined
    this.#unevenSinceMs = undefined
    for (const token of this.#tokens) token.drop()
  }

  #tokenOf(tokenId: string): TokenProof | undefined {
    if (tokenId === this.market.tokenIds[0]) return this.#tokens[0]
    return tokenId === this.market.tokenIds[1] ? this.#tokens[1] : undefined
  }

  #takeChange({ marketId, entries, eventAtMs }: ChangeEvent, atMs: number): void {
    if (marketId !== this.market.id) return
    for (const entry of entries) {
      const token = this.#tokenOf(entry.tokenId)
      // A book is never built from changes alone.
      if (token === undefined || !token.isHeld) continue
      if (!token.isSameBatch(entry.hash, eventAtMs)) {
        if (!this.#mayMoveOn(token, atMs)) return this.#refute(token, atMs)
        token.begin(entry.hash, eventAtMs, atMs)
      }
      token.change(entry, atMs)
    }
    for (const token of this.#tokens) if (token.isPending) token.tryKnown(atMs)
    this.#judge(atMs)
  }

  /** Whether the next hash may begin: the last one fits after all, or could not be looked into closely just now. */
  #mayMoveOn(token: TokenProof, atMs: number): boolean {
    if (!token.isPending || token.tryTouched(atMs) || token.tryTraded(atMs)) return true
    if (this.#clues.maySearch(atMs)) return token.tryEverything(atMs)
    return atMs - (token.batch?.sinceMs ?? 0) < PENDING_LIMIT_MS
  }

  #tryHard(token: TokenProof, atMs: number): boolean {
    if (token.tryTouched(atMs) || token.tryTraded(atMs)) return true
    return this.#clues.maySearch(atMs) && token.tryEverything(atMs)
  }

  #takeBook(event: BookEvent, atMs: number): void {
    const token = this.#tokenOf(event.tokenId)
    if (event.marketId !== this.market.id || token === undefined) return
    // Without a tick nothing can be proved; the book that states it will come.
    if (event.tickSize === undefined && this.#clues.tickSize === undefined) return
    try {
      this.#weigh(event, token, atMs)
    } catch (error) {
      this.#raise('impossible_book', error instanceof Error ? error.message : String(error), atMs)
    }
  }

  #weigh(event: BookEvent, token: TokenProof, atMs: number): void {
    const isSameBatch = token.isSameBatch(event.hash, event.eventAtMs)
    const differences = token.differencesTo(event)
    // It is proved already: the same levels say so again, others contradict their own hash.
    if (isSameBatch && token.isProved) {
      if (differences.size === 0) token.confirm(atMs)
      return this.#judge(atMs)
    }
    // The book of a trade may come after the changes of a later batch: it was true, and is over.
    if (token.wasProvedBefore(event.hash)) return
    if (differences.size > 0) {
      const isOlder = event.eventAtMs < (token.batch?.eventAtMs ?? 0)
      if (this.#state !== undefined && isOlder) return
      if (!isSameBatch && !this.#mayMoveOn(token, atMs)) this.#refute(token, atMs)
      // A book in its own batch completes it. One that brings changes which never came tells of lost frames.
      else if (!isSameBatch && this.#state !== undefined)
        this.#raise('hash_mismatch', `a whole book shows changes that never came: ${token.describe()}`, atMs)
    }
    if (event.tickSize !== undefined) this.#clues.noteTick(event.tickSize, atMs)
    if (event.lastTradeText !== undefined) this.#clues.lastTradeText = event.lastTradeText
    token.replace(event, differences, atMs)
    const isProved = token.tryKnown(atMs) || token.tryTouched(atMs) || token.tryTraded(atMs)
    // Everything that the hash is made of was in the message: nothing that comes later can help.
    const isFinal = event.tickSize !== undefined && event.lastTradeText !== undefined
    if (!isProved && isFinal) return this.#refute(token, atMs)
    // What this book has told of the last trade may be all that the other token waits for.
    for (const other of this.#tokens) if (other !== token && other.isPending) other.tryKnown(atMs)
    this.#judge(atMs)
  }

  /** Takes a new picture when both tokens are proved as of one moment, so that the two belong together. */
  #judge(nowMs: number): void {
    const [up, down] = this.#tokens
    const [upBatch, downBatch] = [up.batch, down.batch]
    if (upBatch?.isProved !== true || downBatch?.isProved !== true) {
      this.#unevenSinceMs = undefined
      return
    }
    if (upBatch.eventAtMs !== downBatch.eventAtMs) {
      this.#unevenSinceMs ??= nowMs
      // The venue has told of one token only: each is right by its own hash, and the row will say that they differ.
      if (nowMs - this.#unevenSinceMs < PENDING_LIMIT_MS) return
    }
    this.#unevenSinceMs = undefined
    const receivedAtMs = Math.max(upBatch.lastAtMs, downBatch.lastAtMs)
    this.#provedAtMs = Math.max(this.#provedAtMs ?? 0, receivedAtMs)
    if (this.#state?.upHash === upBatch.hash && this.#state.downHash === downBatch.hash) return
    this.#doubt = undefined
    this.#changeCount++
    this.#state = {
      up: up.ladders(),
      down: down.ladders(),
      isUpVerified: true,
      isDownVerified: true,
      upHash: upBatch.hash,
      downHash: downBatch.hash,
      eventAtMs: Math.max(upBatch.eventAtMs, downBatch.eventAtMs),
      receivedAtMs,
    }
  }

  #refute(token: TokenProof, atMs: number): void {
    this.#raise(token.isCrossed ? 'impossible_book' : 'hash_mismatch', token.describe(), atMs)
  }

  #raise(cause: Doubt['cause'], detail: string, atMs: number): void {
    if (this.#raised.length >= MOST_RAISED) this.#raised.shift()
    this.#raised.push({ cause, detail, provedAtMs: this.#provedAtMs, raisedAtMs: atMs })
    this.distrust({ cause, detail })
  }
}

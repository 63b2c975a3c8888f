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

/** A batch that is not proved by then will never be. */
const PENDING_LIMIT_MS = 250
const MOST_RAISED = 100

/**
 * The two books of one market, each proved by the venue's hash. There is no sequence number: an equal hash is the
 * only sign that no frame was lost, and a hash that never becomes equal the only sign that one was.
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
  /** Since when both tokens are proved, but with different event times. */
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
        return this.#updateState(receivedAtMs)
      case 'tick':
        // Both tokens share one tick size, so the first of the two events changes it for both.
        this.#clues.noteTick(event.tickSize, receivedAtMs)
        for (const token of this.#tokens) if (token.isPending) token.tryKnown(receivedAtMs)
        return this.#updateState(receivedAtMs)
    }
  }

  settle(nowMs: number): void {
    for (const token of this.#tokens) {
      if (!token.isPending || token.batch === undefined) continue
      if (!token.batch.wereTouchedTried && token.tryTouched(nowMs)) continue
      if (nowMs - token.batch.sinceMs < PENDING_LIMIT_MS) continue
      if (!this.#tryCandidates(token, nowMs)) return this.#raiseMismatch(token, nowMs)
    }
    this.#updateState(nowMs)
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
      // Changes alone never build a book.
      if (token === undefined || !token.isHeld) continue
      if (!token.isSameBatch(entry.hash, eventAtMs)) {
        if (!this.#mayBeginNext(token, atMs)) return this.#raiseMismatch(token, atMs)
        token.begin(entry.hash, eventAtMs, atMs)
      }
      token.change(entry, atMs)
    }
    for (const token of this.#tokens) if (token.isPending) token.tryKnown(atMs)
    this.#updateState(atMs)
  }

  /** Whether the next batch may begin: the last one is proved after all, or the search budget is used up for now. */
  #mayBeginNext(token: TokenProof, atMs: number): boolean {
    if (!token.isPending || token.tryTouched(atMs) || token.tryTraded(atMs)) return true
    if (this.#clues.maySearch(atMs)) return token.tryEverything(atMs)
    return atMs - (token.batch?.sinceMs ?? 0) < PENDING_LIMIT_MS
  }

  #tryCandidates(token: TokenProof, atMs: number): boolean {
    if (token.tryTouched(atMs) || token.tryTraded(atMs)) return true
    return this.#clues.maySearch(atMs) && token.tryEverything(atMs)
  }

  #takeBook(event: BookEvent, atMs: number): void {
    const token = this.#tokenOf(event.tokenId)
    if (event.marketId !== this.market.id || token === undefined) return
    // Without a tick size no hash can be computed; a later book contains it.
    if (event.tickSize === undefined && this.#clues.tickSize === undefined) return
    try {
      this.#compareBook(event, token, atMs)
    } catch (error) {
      this.#raise('impossible_book', error instanceof Error ? error.message : String(error), atMs)
    }
  }

  #compareBook(event: BookEvent, token: TokenProof, atMs: number): void {
    const isSameBatch = token.isSameBatch(event.hash, event.eventAtMs)
    const differences = token.differencesTo(event)
    // Already proved: equal levels confirm it, and other levels do not match their own hash.
    if (isSameBatch && token.isProved) {
      if (differences.size === 0) token.confirm(atMs)
      return this.#updateState(atMs)
    }
    // The book of a trade may arrive after the changes of a later batch, and is outdated then.
    if (token.wasProvedBefore(event.hash)) return
    if (differences.size > 0) {
      const isOlder = event.eventAtMs < (token.batch?.eventAtMs ?? 0)
      if (this.#state !== undefined && isOlder) return
      if (!isSameBatch && !this.#mayBeginNext(token, atMs)) this.#raiseMismatch(token, atMs)
      // A book of the current batch completes it. A book with changes that never came shows that frames were lost.
      else if (!isSameBatch && this.#state !== undefined)
        this.#raise('hash_mismatch', `a whole book has changes that were never received: ${token.describe()}`, atMs)
    }
    if (event.tickSize !== undefined) this.#clues.noteTick(event.tickSize, atMs)
    if (event.lastTradeText !== undefined) this.#clues.lastTradeText = event.lastTradeText
    token.replace(event, differences, atMs)
    const isProved = token.tryKnown(atMs) || token.tryTouched(atMs) || token.tryTraded(atMs)
    // The message contained every input of the hash, so no later frame can prove it.
    const isFinal = event.tickSize !== undefined && event.lastTradeText !== undefined
    if (!isProved && isFinal) return this.#raiseMismatch(token, atMs)
    // The last trade in this book may be the input that the other token waits for.
    for (const other of this.#tokens) if (other !== token && other.isPending) other.tryKnown(atMs)
    this.#updateState(atMs)
  }

  /** Makes a new state when both tokens are proved with the same event time. */
  #updateState(nowMs: number): void {
    const [up, down] = this.#tokens
    const [upBatch, downBatch] = [up.batch, down.batch]
    if (upBatch?.isProved !== true || downBatch?.isProved !== true) {
      this.#unevenSinceMs = undefined
      return
    }
    if (upBatch.eventAtMs !== downBatch.eventAtMs) {
      this.#unevenSinceMs ??= nowMs
      // The venue sent a batch of one token only: each book is right by its own hash, and the row's `mirrored` flag shows that they differ.
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

  #raiseMismatch(token: TokenProof, atMs: number): void {
    this.#raise(token.isCrossed ? 'impossible_book' : 'hash_mismatch', token.describe(), atMs)
  }

  #raise(cause: Doubt['cause'], detail: string, atMs: number): void {
    if (this.#raised.length >= MOST_RAISED) this.#raised.shift()
    this.#raised.push({ cause, detail, provedAtMs: this.#provedAtMs, raisedAtMs: atMs })
    this.distrust({ cause, detail })
  }
}

import type { Doubt } from '../../domain/doubt.ts'
import type { Market } from '../../domain/market.ts'
import type { BinaryBook, BookEvent, BookUpdate, ChangeEvent, RaisedDoubt } from '../venue.ts'
import { HashClues } from './hash-clues.ts'
import { HashRuleWatch } from './hash-rule-watch.ts'
import { expectedRule } from './hash-rules.ts'
import type { HashedState } from './hashed-state.ts'
import { factsOfMarket } from './market-facts.ts'
import type { ProvedBookCheckpoint } from './proved-book-checkpoint.ts'
import { RestComparison } from './rest-comparison.ts'
import { SearchBudget } from './search-budget.ts'
import { TokenProof } from './token-proof.ts'

/** A batch that is not proved by then counts as a failed check, although no other hash has come. */
const PENDING_LIMIT_MS = 250
/** From here on the book is compared with REST. Single failures are normal: a hash may be one change ahead. */
const MOST_FAILURES = 3
const LONGEST_FAILURE_MS = 1_000
/** A book whose comparison with REST has no result by then is in doubt. */
const UNDECIDED_LIMIT_MS = 6_000
/** Without a proof, a batch counts as complete when no frame of it has come for this long. */
const COMPLETE_AFTER_MS = 50
const MOST_RAISED = 100

/** What all books of the venue share. */
export interface SharedProof {
  budget: SearchBudget
  ruleWatch: HashRuleWatch
}

/**
 * The two books of one market, each proved by the venue's hash. There is no sequence number: an equal hash is the
 * sign that no frame was lost. A hash that fails is no sign of a loss yet; the REST book of the venue decides.
 */
export class ProvedBook implements BinaryBook {
  readonly market: Market
  readonly #shared: SharedProof
  readonly #clues: HashClues
  readonly #tokens: readonly [TokenProof, TokenProof]
  readonly #comparison = new RestComparison()
  #state: HashedState | undefined
  #doubt: Doubt | undefined
  #provedAtMs: number | undefined
  #changeCount = 0
  #raised: RaisedDoubt[] = []
  /** Since when both tokens are trusted, but with different event times. */
  #unevenSinceMs: number | undefined

  constructor(market: Market, shared: Partial<SharedProof> = {}) {
    this.market = market
    this.#shared = { budget: new SearchBudget(), ruleWatch: new HashRuleWatch(), ...shared }
    this.#clues = new HashClues(expectedRule(factsOfMarket(market).version), this.#shared.budget)
    this.#tokens = [
      new TokenProof(market, market.tokenIds[0], this.#clues),
      new TokenProof(market, market.tokenIds[1], this.#clues),
    ]
  }

  checkpoint(): ProvedBookCheckpoint {
    return {
      clues: this.#clues.checkpoint(),
      tokens: [this.#tokens[0].checkpoint(), this.#tokens[1].checkpoint()],
      comparison: this.#comparison.checkpoint(),
      state: this.#state,
      doubt: this.#doubt,
      provedAtMs: this.#provedAtMs,
      changeCount: this.#changeCount,
      raised: [...this.#raised],
      unevenSinceMs: this.#unevenSinceMs,
    }
  }

  restore(checkpoint: unknown): void {
    const { clues, tokens, comparison, ...own } = checkpoint as ProvedBookCheckpoint
    this.#clues.restore(clues)
    for (const index of [0, 1] as const) this.#tokens[index].restore(tokens[index])
    this.#comparison.restore(comparison)
    this.#state = own.state
    this.#doubt = own.doubt
    this.#provedAtMs = own.provedAtMs
    this.#changeCount = own.changeCount
    this.#raised = [...own.raised]
    this.#unevenSinceMs = own.unevenSinceMs
  }

  get proved(): HashedState | undefined {
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

  isToBeCompared(nowMs: number): boolean {
    if (this.#comparison.isUndecided(nowMs)) return false
    return this.#tokens.some(
      ({ failures, failingSinceMs = nowMs }) =>
        failures >= MOST_FAILURES || nowMs - failingSinceMs >= LONGEST_FAILURE_MS,
    )
  }

  take(event: BookUpdate, receivedAtMs: number): void {
    switch (event.kind) {
      case 'delta':
        throw new Error('this venue sends no changes without a total')
      case 'change':
        return this.#takeChange(event, receivedAtMs)
      case 'book':
        return this.#takeBook(event, receivedAtMs)
      case 'trade':
        this.#clues.noteTrade(event.trade.price, receivedAtMs)
        for (const token of this.#tokens)
          if (token.isPending) this.#noteProof(token.tryTraded(receivedAtMs), receivedAtMs)
        return this.#updateState(receivedAtMs)
      case 'tick':
        // Both tokens share one tick size, so the first of the two events changes it for both.
        this.#clues.noteTick(event.tickSize, receivedAtMs)
        for (const token of this.#tokens)
          if (token.isPending) this.#noteProof(token.tryKnown(receivedAtMs), receivedAtMs)
        return this.#updateState(receivedAtMs)
    }
  }

  relationTo({ eventAtMs, hash }: BookEvent): 'equal' | 'older' | 'other' {
    if (this.#state === undefined || eventAtMs < this.#state.eventAtMs) return 'older'
    return hash === this.#state.upHash ? 'equal' : 'other'
  }

  compare(books: readonly BookEvent[], receivedAtMs: number): void {
    const pair = this.market.tokenIds.map((id) => books.find(({ tokenId }) => tokenId === id))
    const [up, down] = pair
    if (up === undefined || down === undefined) return
    // A REST answer may be older than what the socket has proved since.
    if (this.#state !== undefined && Math.max(up.eventAtMs, down.eventAtMs) < this.#state.eventAtMs) return
    if (this.#state === undefined) return this.#restart([up, down], receivedAtMs)
    this.#comparison.begin([up, down], receivedAtMs)
    this.#decideComparison(receivedAtMs)
  }

  settle(nowMs: number): void {
    for (const token of this.#tokens) {
      const { batch } = token
      if (!token.isPending || batch === undefined || batch.isTrusted) continue
      const { isChanged } = this.#shared.ruleWatch
      if (!isChanged && !batch.wereTouchedTried && this.#noteProof(token.tryTouched(nowMs), nowMs)) continue
      const isEnough = isChanged || (batch.hasFailed && token.isComplete(nowMs))
      if (isEnough && nowMs - batch.lastAtMs >= COMPLETE_AFTER_MS && token.isEchoEqual) {
        token.trust()
        continue
      }
      if (nowMs - batch.sinceMs < PENDING_LIMIT_MS || batch.hasFailed) continue
      if (!this.#tryCandidates(token, nowMs)) this.#fail(token, nowMs)
    }
    this.#decideComparison(nowMs)
    const failing = this.#tokens.find(
      ({ failingSinceMs = nowMs }) =>
        nowMs - failingSinceMs >= UNDECIDED_LIMIT_MS && !this.#comparison.isUndecided(nowMs),
    )
    if (failing !== undefined) return this.#raiseMismatch(failing, nowMs)
    this.#updateState(nowMs)
  }

  distrust(doubt: Doubt): void {
    this.#doubt = doubt
    this.#state = undefined
    this.#unevenSinceMs = undefined
    this.#comparison.end()
    for (const token of this.#tokens) token.drop()
  }

  #tokenOf(tokenId: string): TokenProof | undefined {
    if (tokenId === this.market.tokenIds[0]) return this.#tokens[0]
    return tokenId === this.market.tokenIds[1] ? this.#tokens[1] : undefined
  }

  #takeChange(change: ChangeEvent, atMs: number): void {
    if (change.marketId !== this.market.id) return
    const isFailing = this.#tokens.some(({ isHeld, failures }) => !isHeld || failures > 0)
    if (isFailing) this.#comparison.keep(change, atMs)
    this.#apply(change, atMs)
    for (const token of this.#tokens) if (token.isPending) this.#noteProof(token.tryKnown(atMs), atMs)
    if (isFailing) this.#decideComparison(atMs)
    this.#updateState(atMs)
  }

  #apply({ entries, eventAtMs }: ChangeEvent, atMs: number): void {
    // The batches of both tokens end together: only then do they make a state.
    const ended = new Set<TokenProof>()
    for (const token of this.#tokens) {
      const first = entries.find(({ tokenId }) => this.#tokenOf(tokenId) === token)
      if (first === undefined || !token.isNewBatch(first.hash, eventAtMs)) continue
      this.#endBatch(token, atMs)
      ended.add(token)
    }
    for (const entry of entries) {
      const token = this.#tokenOf(entry.tokenId)
      if (token === undefined || !token.isHeld || token.hasEnded(entry.hash)) continue
      if (token.isNewBatch(entry.hash, eventAtMs)) {
        if (!ended.delete(token)) this.#endBatch(token, atMs)
        token.begin(entry.hash, eventAtMs, atMs)
      }
      token.change(entry, atMs)
    }
  }

  /** The next batch begins: the last one is proved now, or its check has failed. */
  #endBatch(token: TokenProof, atMs: number): void {
    if (!token.isPending || token.batch?.isTrusted === true) return
    if (this.#tryCandidates(token, atMs)) return
    this.#fail(token, atMs)
    if ((this.#shared.ruleWatch.isChanged || token.isComplete(atMs)) && token.isEchoEqual && !token.isCrossed) {
      token.trust()
      this.#updateState(atMs)
    }
  }

  /** With an unknown hash rule every search is in vain; a change is still checked with what is known. */
  #tryCandidates(token: TokenProof, atMs: number): boolean {
    if (this.#shared.ruleWatch.isChanged) return false
    const isProved =
      token.tryTouched(atMs) ||
      token.tryTraded(atMs) ||
      token.tryOtherRules(atMs) ||
      (this.#clues.maySearch(atMs) && token.tryEverything(atMs))
    return this.#noteProof(isProved, atMs)
  }

  #noteProof(isProved: boolean, atMs: number): boolean {
    if (isProved) this.#shared.ruleWatch.proved(atMs)
    return isProved
  }

  #fail(token: TokenProof, atMs: number): void {
    token.fail()
    this.#shared.ruleWatch.failed(this.market.id, token.isEchoEqual && !token.isCrossed, atMs)
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
    if (token.hasEnded(event.hash)) return
    if (differences.size > 0) {
      const isOlder = event.eventAtMs < (token.batch?.eventAtMs ?? 0)
      if (this.#state !== undefined && isOlder) return
      if (!isSameBatch) this.#endBatch(token, atMs)
      // A book may complete its own batch. Other differences are changes that never came: frames were lost.
      const isCompletion = isSameBatch && token.failures === 0
      if (!isCompletion && this.#state !== undefined)
        this.#raise('hash_mismatch', `a whole book has changes that were never received: ${token.describe()}`, atMs)
    }
    this.#replace(token, event, differences, atMs)
    // The last trade in this book may be the input that the other token waits for.
    for (const other of this.#tokens)
      if (other !== token && other.isPending) this.#noteProof(other.tryKnown(atMs), atMs)
    this.#updateState(atMs)
  }

  #replace(token: TokenProof, event: BookEvent, differences: Iterable<number>, atMs: number): void {
    const { tickSize, lastTradeText } = event
    if (tickSize !== undefined) this.#clues.noteTick(tickSize, atMs)
    if (lastTradeText !== undefined) this.#clues.lastTradeText = lastTradeText
    token.replace(event, differences, atMs)
    if (this.#noteProof(token.tryKnown(atMs) || token.tryTouched(atMs) || token.tryTraded(atMs), atMs)) return
    // The message contained every input of the hash, so no later frame can prove it.
    if (tickSize === undefined || lastTradeText === undefined) return
    if (this.#noteProof(token.tryOtherRules(atMs), atMs)) return
    this.#fail(token, atMs)
    if (this.#shared.ruleWatch.isChanged && !token.isCrossed) token.trust()
    else this.#raiseMismatch(token, atMs)
  }

  /** The stream is right when it reaches the REST books; if it does not in time, frames were lost. */
  #decideComparison(nowMs: number): void {
    const { books } = this.#comparison
    if (books === undefined) return
    const failing = books.flatMap((book) => {
      const token = this.#tokenOf(book.tokenId)
      return token !== undefined && token.failures > 0 ? [{ token, book }] : []
    })
    if (failing.every(({ token, book }) => token.wasAnnounced(book))) {
      this.#comparison.end()
      for (const book of books) this.#learn(book, nowMs)
      for (const { token, book } of failing) this.#noteProof(token.passComparison(book, nowMs), nowMs)
      return this.#updateState(nowMs)
    }
    if (!this.#comparison.isOver(nowMs)) return
    this.#raiseMismatch(failing[0]?.token ?? this.#tokens[0], nowMs)
    this.#restart(books, nowMs)
  }

  /** A REST book has the inputs of the hash that the socket sends late or never. */
  #learn({ tickSize, lastTradeText }: BookEvent, atMs: number): void {
    if (tickSize !== undefined) this.#clues.noteTick(tickSize, atMs)
    if (lastTradeText !== undefined) this.#clues.lastTradeText = lastTradeText
    for (const token of this.#tokens) if (token.isPending) this.#noteProof(token.tryKnown(atMs), atMs)
  }

  /** Starts from REST books and applies the later changes that the socket has sent since. */
  #restart(books: readonly BookEvent[], atMs: number): void {
    const later = this.#comparison.changesAfter(Math.max(...books.map(({ eventAtMs }) => eventAtMs)))
    this.#comparison.end()
    try {
      for (const book of books) {
        const token = this.#tokenOf(book.tokenId)
        if (token !== undefined) this.#replace(token, book, [], atMs)
      }
    } catch (error) {
      return this.#raise('impossible_book', error instanceof Error ? error.message : String(error), atMs)
    }
    for (const change of later) {
      this.#apply(change, atMs)
      for (const token of this.#tokens) if (token.isPending) this.#noteProof(token.tryKnown(atMs), atMs)
    }
    this.#updateState(atMs)
  }

  /** Makes a new state when both tokens are trusted with the same event time. */
  #updateState(nowMs: number): void {
    const [up, down] = this.#tokens
    const [upBatch, downBatch] = [up.batch, down.batch]
    if (upBatch === undefined || downBatch === undefined || !up.isTrusted || !down.isTrusted) {
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
    const isSame = this.#state?.upHash === upBatch.hash && this.#state.downHash === downBatch.hash
    const isSameProof =
      this.#state?.isUpVerified === upBatch.isProved && this.#state.isDownVerified === downBatch.isProved
    if (isSame && isSameProof) return
    this.#doubt = undefined
    if (!isSame) this.#changeCount++
    this.#state = {
      up: up.ladders(),
      down: down.ladders(),
      isUpVerified: upBatch.isProved,
      isDownVerified: downBatch.isProved,
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

import type { Doubt } from '../domain/doubt.ts'
import type { Market } from '../domain/market.ts'
import type { BinaryBook, BookEvent, BookUpdate, RaisedDoubt } from '../venues/venue.ts'
import type { Absence } from './gap-ledger.ts'

/** Weight of the newest pause in the running mean of pauses between frames. */
const PAUSE_WEIGHT = 0.1
const FIRST_PAUSE_MS = 10_000
/** Losses that are kept until the next slot; more than this means that the market is not sampled. */
const MOST_LOSSES = 10

export interface FollowedCheckpoint {
  readonly book: unknown
  readonly meanPauseMs: number
  readonly earlierDoubts: readonly RaisedDoubt[]
  readonly earlierChanges: number
  readonly earlierDoubt?: Doubt | undefined
  readonly confirmedAtMs: number
  readonly rightUntilMs?: number | undefined
  readonly losses: readonly Absence[]
}

/** One followed market: its books, and until when they are known to be right. */
export class FollowedMarket {
  /** Mean pause between this market's frames; `StaleBookCheck` judges silence by it. */
  meanPauseMs = FIRST_PAUSE_MS
  readonly #onDoubt: (doubt: Doubt) => void
  #book: BinaryBook
  /** Of the books before this one, not taken yet. */
  #earlierDoubts: readonly RaisedDoubt[] = []
  #earlierChanges = 0
  /** Why the book before this one could not be trusted; holds until this one is proved. */
  #earlierDoubt: Doubt | undefined
  #confirmedAtMs: number
  #rightUntilMs: number | undefined
  #losses: Absence[] = []

  constructor(book: BinaryBook, nowMs: number, onDoubt: (doubt: Doubt) => void = () => {}) {
    this.#book = book
    this.#onDoubt = onDoubt
    this.#confirmedAtMs = nowMs
  }

  checkpoint(): FollowedCheckpoint {
    return {
      book: this.#book.checkpoint(),
      meanPauseMs: this.meanPauseMs,
      earlierDoubts: this.#earlierDoubts,
      earlierChanges: this.#earlierChanges,
      earlierDoubt: this.#earlierDoubt,
      confirmedAtMs: this.#confirmedAtMs,
      rightUntilMs: this.#rightUntilMs,
      losses: this.#losses,
    }
  }

  restore(checkpoint: FollowedCheckpoint): void {
    this.#book.restore(checkpoint.book)
    this.meanPauseMs = checkpoint.meanPauseMs
    this.#earlierDoubts = checkpoint.earlierDoubts
    this.#earlierChanges = checkpoint.earlierChanges
    this.#earlierDoubt = checkpoint.earlierDoubt
    this.#confirmedAtMs = checkpoint.confirmedAtMs
    this.#rightUntilMs = checkpoint.rightUntilMs
    this.#losses = [...checkpoint.losses]
  }

  get book(): BinaryBook {
    return this.#book
  }

  get market(): Market {
    return this.book.market
  }

  /** When the last frame of this market was received, or its book was last confirmed over REST. */
  get confirmedAtMs(): number {
    return this.#confirmedAtMs
  }

  take(event: BookUpdate, receivedAtMs: number): void {
    this.meanPauseMs += PAUSE_WEIGHT * (receivedAtMs - this.#confirmedAtMs - this.meanPauseMs)
    this.#confirmedAtMs = receivedAtMs
    this.book.take(event, receivedAtMs)
    this.#noteProof()
  }

  settle(nowMs: number): void {
    this.book.settle(nowMs)
    this.#noteProof()
  }

  /** REST books of both tokens; see `BinaryBook.compare`. */
  compare(books: readonly BookEvent[], nowMs: number): void {
    this.book.compare(books, nowMs)
    this.#noteProof()
  }

  /** The held book equals the venue's REST book. */
  confirm(nowMs: number): void {
    this.#confirmedAtMs = nowMs
    if (this.book.proved !== undefined) this.#rightUntilMs = nowMs
  }

  /**
   * `rightUntilMs`: until when the book was right although no frame of this market came, as when its socket
   * still delivered the frames of other markets in order.
   */
  distrust(doubt: Doubt, rightUntilMs?: number): void {
    if (rightUntilMs !== undefined && this.book.proved !== undefined) {
      this.#rightUntilMs = Math.max(this.#rightUntilMs ?? 0, rightUntilMs)
    }
    this.#losses = [...this.#losses, { ...doubt, rightUntilMs: this.#rightUntilMs }].slice(-MOST_LOSSES)
    this.book.distrust(doubt)
  }

  /** The market has moved to another socket, which has sent this book. */
  replaceBook(book: BinaryBook): void {
    this.#earlierDoubts = [...this.#earlierDoubts, ...this.#book.takeDoubts()]
    this.#earlierChanges += this.#book.takeChangeCount()
    this.#earlierDoubt = this.#book.doubt
    this.#book = book
    // They belong to the time before the move, which the old book has counted and judged.
    book.takeChangeCount()
    book.takeDoubts()
    this.#noteProof()
  }

  /** Batches applied since the last call; resets the count. */
  takeChangeCount(): number {
    const count = this.#earlierChanges + this.#book.takeChangeCount()
    this.#earlierChanges = 0
    return count
  }

  /** Times since the last call at which frames of the market were lost, also when a new book followed at once. */
  takeLosses(): readonly Absence[] {
    const losses = this.#losses
    if (losses.length > 0) this.#losses = []
    return losses
  }

  /** Why the book can't be sampled now. */
  absence(): Absence {
    const doubt = this.book.doubt ??
      this.#earlierDoubt ?? { cause: 'not_listed_yet', detail: 'no whole book has been proved yet' }
    return { ...doubt, rightUntilMs: this.#rightUntilMs }
  }

  /** Doubts that the book raised since the last call, also those that a new proof has ended. */
  passingDoubts(): Absence[] {
    const raised = this.book.takeDoubts()
    const doubts = this.#earlierDoubts.length === 0 ? raised : [...this.#earlierDoubts, ...raised]
    this.#earlierDoubts = []
    for (const doubt of doubts) this.#onDoubt(doubt)
    return doubts.map(({ cause, detail, provedAtMs }) => ({ cause, detail, rightUntilMs: provedAtMs }))
  }

  #noteProof(): void {
    const { provedAtMs } = this.book
    if (provedAtMs !== undefined) this.#rightUntilMs = Math.max(this.#rightUntilMs ?? 0, provedAtMs)
  }
}

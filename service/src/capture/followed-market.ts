import type { Market } from '../domain/market.ts'
import type { BinaryBook, BookEvent, ChangeEvent, Doubt, TickEvent, TradeEvent } from '../venues/venue.ts'
import type { Absence } from './gap-ledger.ts'

/** Weight of the newest pause in the running mean of pauses between frames. */
const PAUSE_WEIGHT = 0.1
const FIRST_PAUSE_MS = 10_000

/** One followed market: its books, and until when they are known to be right. */
export class FollowedMarket {
  readonly book: BinaryBook
  /** Mean pause between this market's frames; `StaleBookCheck` judges silence by it. */
  meanPauseMs = FIRST_PAUSE_MS
  readonly #onDoubt: (doubt: Doubt) => void
  #confirmedAtMs: number
  #rightUntilMs: number | undefined

  constructor(book: BinaryBook, nowMs: number, onDoubt: (doubt: Doubt) => void = () => {}) {
    this.book = book
    this.#onDoubt = onDoubt
    this.#confirmedAtMs = nowMs
  }

  get market(): Market {
    return this.book.market
  }

  /** When the last frame of this market was received, or its book was last confirmed over REST. */
  get confirmedAtMs(): number {
    return this.#confirmedAtMs
  }

  take(event: BookEvent | ChangeEvent | TradeEvent | TickEvent, receivedAtMs: number): void {
    this.meanPauseMs += PAUSE_WEIGHT * (receivedAtMs - this.#confirmedAtMs - this.meanPauseMs)
    this.#confirmedAtMs = receivedAtMs
    this.book.take(event, receivedAtMs)
    this.#noteProof()
  }

  settle(nowMs: number): void {
    this.book.settle(nowMs)
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
    this.book.distrust(doubt)
  }

  /** Why the book can't be sampled now. */
  absence(): Absence {
    const doubt = this.book.doubt ?? { cause: 'not_listed_yet', detail: 'no whole book has been proved yet' }
    return { ...doubt, rightUntilMs: this.#rightUntilMs }
  }

  /** Doubts that the book raised since the last call, also those that a new proof has ended. */
  passingDoubts(): Absence[] {
    const doubts = this.book.takeDoubts()
    for (const doubt of doubts) this.#onDoubt(doubt)
    return doubts.map(({ cause, detail, provedAtMs }) => ({ cause, detail, rightUntilMs: provedAtMs }))
  }

  #noteProof(): void {
    const { provedAtMs } = this.book
    if (provedAtMs !== undefined) this.#rightUntilMs = Math.max(this.#rightUntilMs ?? 0, provedAtMs)
  }
}

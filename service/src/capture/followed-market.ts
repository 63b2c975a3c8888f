import type { Market } from '../domain/market.ts'
import type { BinaryBook, BookEvent, ChangeEvent, Doubt, TickEvent, TradeEvent } from '../venues/venue.ts'
import type { Absence } from './gap-ledger.ts'

/** How much of a newly seen pause between frames goes into the running mean. */
const PAUSE_WEIGHT = 0.1
const FIRST_PAUSE_MS = 10_000

/** One market under watch: its books, and when we last had reason to believe them. */
export class FollowedMarket {
  readonly book: BinaryBook
  /** The mean pause between its frames, so that silence can be told from quiet. */
  meanPauseMs = FIRST_PAUSE_MS
  readonly #onDoubt: (doubt: Doubt) => void
  #heardAtMs: number
  #rightUntilMs: number | undefined

  constructor(book: BinaryBook, nowMs: number, onDoubt: (doubt: Doubt) => void = () => {}) {
    this.book = book
    this.#onDoubt = onDoubt
    this.#heardAtMs = nowMs
  }

  get market(): Market {
    return this.book.market
  }

  /** The last time that the venue told us of this market, or confirmed what we hold. */
  get heardAtMs(): number {
    return this.#heardAtMs
  }

  take(event: BookEvent | ChangeEvent | TradeEvent | TickEvent, receivedAtMs: number): void {
    this.meanPauseMs += PAUSE_WEIGHT * (receivedAtMs - this.#heardAtMs - this.meanPauseMs)
    this.#heardAtMs = receivedAtMs
    this.book.take(event, receivedAtMs)
    this.#noteProof()
  }

  settle(nowMs: number): void {
    this.book.settle(nowMs)
    this.#noteProof()
  }

  /** What we hold was found equal to what the venue has. */
  confirm(nowMs: number): void {
    this.#heardAtMs = nowMs
    if (this.book.proved !== undefined) this.#rightUntilMs = nowMs
  }

  /**
   * `rightUntilMs`: up to when the book was right although nothing was said of it, as when its socket was
   * still bringing other markets' frames in order.
   */
  distrust(doubt: Doubt, rightUntilMs?: number): void {
    if (rightUntilMs !== undefined && this.book.proved !== undefined) {
      this.#rightUntilMs = Math.max(this.#rightUntilMs ?? 0, rightUntilMs)
    }
    this.book.distrust(doubt)
  }

  /** Why there is nothing to sample, when there isn't. */
  absence(): Absence {
    const doubt = this.book.doubt ?? { cause: 'not_listed_yet', detail: 'no whole book has been proved yet' }
    return { ...doubt, rightUntilMs: this.#rightUntilMs }
  }

  /** Doubts that the book has raised since this was last read, whether or not it has been proved again. */
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

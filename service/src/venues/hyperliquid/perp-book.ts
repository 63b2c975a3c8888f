import type { PerpLadders, PerpSnapshot, PerpTouch } from '../../domain/rows/perp-snapshot.ts'
import { type PerpEvent, touchOf } from './decode.ts'

/** Whole books come every 5.4 s by socket and more often by REST; one that is older has stopped. */
const STALE_AFTER_MS = 15_000

/** One perp: the newest whole book, and beside it the fresh touch. The two are never made into one. */
export class PerpBook {
  readonly symbol: string
  readonly #venue: string
  #ladders: PerpLadders | undefined
  #eventAtMs = 0
  #receivedAtMs = 0
  #touch: PerpTouch | undefined

  constructor(venue: string, symbol: string) {
    this.#venue = venue
    this.symbol = symbol
  }

  /** Socket and REST may overtake each other: what is older than what we have is passed over. */
  take(event: PerpEvent, receivedAtMs: number): void {
    if (event.coin !== this.symbol) return
    if (event.kind === 'touch') return this.#takeTouch(event.touch)
    if (event.eventAtMs <= this.#eventAtMs) return
    this.#ladders = event.ladders
    this.#eventAtMs = event.eventAtMs
    this.#receivedAtMs = receivedAtMs
    this.#takeTouch(touchOf(event.ladders.bids[0], event.ladders.asks[0], event.eventAtMs))
  }

  /** Judged by the venue's own time, which stands still when a book does, however often it is sent. */
  isStale(nowMs: number): boolean {
    return this.#ladders === undefined || nowMs - this.#receivedAtMs > STALE_AFTER_MS
  }

  /** Undefined when there is nothing fresh enough to be called the book of that slot. */
  sample(slot: number, intervalMs: number, capturedAtMs: number): PerpSnapshot | undefined {
    if (this.#ladders === undefined || this.#touch === undefined || this.isStale(capturedAtMs)) return undefined
    return {
      venue: this.#venue,
      symbol: this.symbol,
      slot,
      intervalMs,
      capturedAtMs,
      eventAtMs: this.#eventAtMs,
      receivedAtMs: this.#receivedAtMs,
      ladders: this.#ladders,
      touch: this.#touch,
    }
  }

  #takeTouch(touch: PerpTouch): void {
    if (this.#touch === undefined || touch.eventAtMs >= this.#touch.eventAtMs) this.#touch = touch
  }
}

import type { PerpLadders, PerpLevel, PerpSnapshot, PerpTouch } from '../domain/rows/perp-snapshot.ts'
import type { PerpEvent } from './perp-events.ts'

/** Whole books come every 5.4 s over the socket and more often over REST, so an older one has stopped updating. */
const STALE_AFTER_MS = 15_000

/** One perp: the newest whole book, and the newer touch. The two are never merged. */
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

  /** Socket and REST may overtake each other, so an event older than the held one is ignored. */
  take(event: PerpEvent, receivedAtMs: number): void {
    if (event.coin !== this.symbol) return
    if (event.kind === 'touch') return this.#takeTouch(event.touch)
    if (event.kind !== 'book' || event.eventAtMs <= this.#eventAtMs) return
    this.#ladders = event.ladders
    this.#eventAtMs = event.eventAtMs
    this.#receivedAtMs = receivedAtMs
    this.#takeTouch(touchOf(event.ladders.bids[0], event.ladders.asks[0], event.eventAtMs))
  }

  /** A book that is sent again with the same venue time counts as not updated. */
  isStale(nowMs: number): boolean {
    return this.#ladders === undefined || nowMs - this.#receivedAtMs > STALE_AFTER_MS
  }

  /** Undefined while the book is stale. */
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

export function touchOf(bid: PerpLevel | undefined, ask: PerpLevel | undefined, eventAtMs: number): PerpTouch {
  return {
    bidPrice: bid?.price ?? 0,
    bidSize: bid?.size ?? 0,
    askPrice: ask?.price ?? 0,
    askSize: ask?.size ?? 0,
    eventAtMs,
  }
}

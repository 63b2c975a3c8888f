const MINUTE_MS = 60_000

/** Keeps what a page asks for by itself below a number of requests in every minute. */
export class RequestPace {
  readonly #mostPerMinute: () => number
  #askedMs: number[] = []

  constructor(mostPerMinute: () => number) {
    this.#mostPerMinute = mostPerMinute
  }

  /** Whether another request may be sent now; it then counts as sent. */
  take(nowMs: number): boolean {
    this.#askedMs = this.#askedMs.filter((atMs) => atMs > nowMs - MINUTE_MS)
    if (this.#askedMs.length >= this.#mostPerMinute()) return false
    this.#askedMs.push(nowMs)
    return true
  }
}

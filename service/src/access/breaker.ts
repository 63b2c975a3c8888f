const FAILURES_TO_OPEN = 5
const OPEN_MS = 1_000

/** A circuit breaker for a store: after five failures in a row it lets one probe through each second. */
export class Breaker {
  readonly #nowMs: () => number
  readonly #isOutage: (error: unknown) => boolean
  #failures = 0
  #openUntilMs = 0

  constructor(options: { nowMs: () => number; isOutage: (error: unknown) => boolean }) {
    this.#nowMs = options.nowMs
    this.#isOutage = options.isOutage
  }

  /** Returns `StoreAway` while the breaker is open and after an outage error; throws other errors. */
  async ask<Answer extends {}>(request: () => Promise<Answer>): Promise<Answer | StoreAway> {
    if (this.#nowMs() < this.#openUntilMs) return new StoreAway(undefined)
    // The first request after the pause is the probe; requests during the probe get `StoreAway`.
    if (this.#failures >= FAILURES_TO_OPEN) this.#openUntilMs = this.#nowMs() + OPEN_MS
    try {
      const answer = await request()
      this.#failures = 0
      this.#openUntilMs = 0
      return answer
    } catch (error) {
      if (!this.#isOutage(error)) throw error
      this.#failures++
      if (this.#failures >= FAILURES_TO_OPEN) this.#openUntilMs = this.#nowMs() + OPEN_MS
      return new StoreAway(error)
    }
  }
}

/** Returned instead of an answer; without a cause when the store was not asked. */
export class StoreAway {
  readonly cause: unknown

  constructor(cause: unknown) {
    this.cause = cause
  }
}

const FAILURES_TO_OPEN = 5
const OPEN_MS = 1_000

/** Keeps everyone from waiting for something that is away: after five failures in a row it is asked once a second. */
export class Breaker {
  readonly #nowMs: () => number
  readonly #isOutage: (error: unknown) => boolean
  #failures = 0
  #openUntilMs = 0

  constructor(options: { nowMs: () => number; isOutage: (error: unknown) => boolean }) {
    this.#nowMs = options.nowMs
    this.#isOutage = options.isOutage
  }

  /** `Away` when it is, whether that was found out now or before. Other errors are thrown. */
  async ask<Answer extends {}>(question: () => Promise<Answer>): Promise<Answer | StoreAway> {
    if (this.#nowMs() < this.#openUntilMs) return new StoreAway(undefined)
    // The first to come by after the pause is the probe; whoever comes while it runs is sent away.
    if (this.#failures >= FAILURES_TO_OPEN) this.#openUntilMs = this.#nowMs() + OPEN_MS
    try {
      const answer = await question()
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

/** Instead of an answer. */
export class StoreAway {
  readonly cause: unknown

  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** Measured without a key: 20 reads a second, after a burst of 60. */
const TOKENS_PER_SECOND = 200
const MOST_TOKENS = 600
const COST_OF_READ = 10

/** Limits reads by real time: a faster simulated clock does not make the venue faster. */
export class TokenBucket {
  #tokens = MOST_TOKENS
  #countedAtMs = performance.now()

  /** Pays for one read; false if too few tokens are left. */
  take(): boolean {
    const nowMs = performance.now()
    const gained = ((nowMs - this.#countedAtMs) / 1000) * TOKENS_PER_SECOND
    this.#countedAtMs = nowMs
    this.#tokens = Math.min(MOST_TOKENS, this.#tokens + gained)
    if (this.#tokens < COST_OF_READ) return false
    this.#tokens -= COST_OF_READ
    return true
  }
}

export const CHECK_EVERY_MS = 100
/** A request that arrives during an overload waits at least this long before it is looked at. */
const QUEUE_AGE_LIMIT_MS = 1_000
/** One pause of the process, however long, makes one late check. */
const LATE_CHECKS = 3
const SUSTAINED_MS = 2_000

/**
 * Tells a process that can't keep up from one that paused for a moment. A timer waits in the same event loop as
 * requests do, so its lateness is the age of the oldest request that waits. The process is overloaded while every
 * check is late by more than the limit, for long enough; one check in time ends it.
 */
export class OverloadMonitor {
  readonly #nowMs: () => number
  #checkedAtMs: number
  #lateSinceMs = 0
  #lateChecks = 0
  #queueAgeMs = 0

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#checkedAtMs = nowMs()
  }

  get queueAgeMs(): number {
    return this.#queueAgeMs
  }

  get isOverloaded(): boolean {
    return this.#lateChecks >= LATE_CHECKS && this.#checkedAtMs - this.#lateSinceMs >= SUSTAINED_MS
  }

  /** To be called by a timer, every `CHECK_EVERY_MS`. */
  check(): void {
    const nowMs = this.#nowMs()
    this.#queueAgeMs = Math.max(0, nowMs - this.#checkedAtMs - CHECK_EVERY_MS)
    this.#checkedAtMs = nowMs
    if (this.#queueAgeMs <= QUEUE_AGE_LIMIT_MS) {
      this.#lateChecks = 0
      return
    }
    if (this.#lateChecks === 0) this.#lateSinceMs = nowMs
    this.#lateChecks++
  }
}

export const CHECK_EVERY_MS = 100
const QUEUE_AGE_LIMIT_MS = 1_000
/** More than one, because a single pause of the process, however long, makes one late check. */
const LATE_CHECKS = 3
const SUSTAINED_MS = 2_000

/**
 * Distinguishes an overloaded process from one that paused for a moment. Timers and requests wait in the same event
 * loop, so the delay of a timer is the age of the oldest waiting request. The process is overloaded when every check
 * is late for two seconds; one check on time ends the overload.
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

  /** Call it every `CHECK_EVERY_MS`. */
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

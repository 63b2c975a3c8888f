/** Two clocks of a machine: one that people can set, one that only runs on. */
export interface MachineClock {
  wallMs(): number
  monotonicMs(): number
}

export const machineClock: MachineClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/** What was recorded last is written down once a second; so much more may have been recorded since. */
const RECORD_MAY_LAG_MS = 5_000

/** A difference between the two clocks that is worth an alarm. */
const STEP_ALARM_MS = 500

/**
 * The time by which slots are counted: the wall clock once, at start, and from then on the monotonic clock.
 * A step of the wall clock changes nothing but raises an alarm.
 */
export class SamplingClock {
  readonly #clock: MachineClock
  #anchorMs: number

  /** `lastTickMs`: what was recorded last before this start, as far as is known. */
  constructor(clock: MachineClock, lastTickMs = 0) {
    this.#clock = clock
    this.#anchorMs = clock.wallMs() - clock.monotonicMs()
    this.goOnAfter(lastTickMs)
  }

  /** Time never goes back behind what was recorded, by whomever; when our wall clock is behind it, it was set back or another's is ahead. */
  goOnAfter(lastTickMs: number): void {
    const behindMs = lastTickMs - this.nowMs()
    if (behindMs > 0) this.#anchorMs += behindMs + RECORD_MAY_LAG_MS
  }

  nowMs(): number {
    return this.#anchorMs + this.#clock.monotonicMs()
  }

  /** How far the wall clock has been moved since the start; undefined while that is no step. */
  wallStepMs(): number | undefined {
    const stepMs = this.#clock.wallMs() - this.nowMs()
    return Math.abs(stepMs) >= STEP_ALARM_MS ? stepMs : undefined
  }
}

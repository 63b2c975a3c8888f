/** The machine's wall clock, which can be set, and its monotonic clock, which can't. */
export interface MachineClock {
  wallMs(): number
  monotonicMs(): number
}

export const machineClock: MachineClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/** The last recorded tick is saved once a second; this much more may have been recorded since. */
const RECORD_MAY_LAG_MS = 5_000

/** A difference between the two clocks from which on it counts as a step. */
const STEP_ALARM_MS = 500

/**
 * The time that numbers slots: the wall clock at start, then the monotonic clock. A step of the wall clock does
 * not change it, but is reported as a metric.
 */
export class SamplingClock {
  readonly #clock: MachineClock
  #anchorMs: number

  /** `lastTickMs`: the last tick recorded before this start, if known. */
  constructor(clock: MachineClock, lastTickMs = 0) {
    this.#clock = clock
    this.#anchorMs = clock.wallMs() - clock.monotonicMs()
    this.continueAfter(lastTickMs)
  }

  /** Moves the clock past a recorded tick and says whether it had to: this wall clock was set back or another recorder's is ahead. */
  continueAfter(lastTickMs: number): boolean {
    const behindMs = lastTickMs - this.nowMs()
    if (behindMs <= 0) return false
    this.#anchorMs += behindMs + RECORD_MAY_LAG_MS
    return true
  }

  nowMs(): number {
    return this.#anchorMs + this.#clock.monotonicMs()
  }

  /** How far the wall clock was moved since the start; undefined for less than `STEP_ALARM_MS`. */
  wallStepMs(): number | undefined {
    const stepMs = this.#clock.wallMs() - this.nowMs()
    return Math.abs(stepMs) >= STEP_ALARM_MS ? stepMs : undefined
  }
}

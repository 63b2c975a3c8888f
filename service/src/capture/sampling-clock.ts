/** Two clocks of a machine: one that people can set, one that only runs on. */
export interface MachineClock {
  wallMs(): number
  monotonicMs(): number
}

export const machineClock: MachineClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/** A difference between the two clocks that is worth an alarm. */
const STEP_ALARM_MS = 500

/**
 * The time by which slots are counted: the wall clock once, at start, and from then on the monotonic clock.
 * A step of the wall clock changes nothing but raises an alarm.
 */
export class SamplingClock {
  readonly #clock: MachineClock
  readonly #anchorMs: number

  /** `notBeforeMs`: the last slot that was recorded before this start; time never goes back behind it. */
  constructor(clock: MachineClock, notBeforeMs = 0) {
    this.#clock = clock
    this.#anchorMs = Math.max(clock.wallMs(), notBeforeMs) - clock.monotonicMs()
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

import { wallClock } from '../domain/clock.ts'

/** The machine's wall clock, which can be set, and its monotonic clock, which can't. */
export interface MachineClock {
  wallMs(): number
  monotonicMs(): number
}

export const machineClock: MachineClock = {
  wallMs: wallClock,
  monotonicMs: () => performance.now(),
}

/** A difference between the two clocks from which on it counts as a step. */
const STEP_ALARM_MS = 500

/**
 * The time that numbers slots: a time at start (`startTimeOf`), then the monotonic clock. A step of the wall clock
 * does not change it, but is reported as a metric; `ClockWatch` decides whether the step was a correction.
 */
export class SamplingClock {
  readonly #clock: MachineClock
  readonly #listeners: (() => void)[] = []
  #anchorMs: number

  /** `startMs`: the time now; left out, that of the wall clock. */
  constructor(clock: MachineClock, startMs = clock.wallMs()) {
    this.#clock = clock
    this.#anchorMs = startMs - clock.monotonicMs()
  }

  nowMs(): number {
    return this.#anchorMs + this.#clock.monotonicMs()
  }

  wallMs(): number {
    return this.#clock.wallMs()
  }

  /** Only ahead: slots that were already recorded would come again. */
  moveAheadTo(timeMs: number): void {
    if (timeMs < this.nowMs()) throw new Error('the sampling clock is never set back while it runs')
    this.#anchorMs = timeMs - this.#clock.monotonicMs()
    for (const listener of this.#listeners) listener()
  }

  /** Called after slots were passed over. */
  onMovedAhead(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** How far the wall clock was moved since the start; undefined for less than `STEP_ALARM_MS`. */
  wallStepMs(): number | undefined {
    const stepMs = this.#clock.wallMs() - this.nowMs()
    return Math.abs(stepMs) >= STEP_ALARM_MS ? stepMs : undefined
  }
}

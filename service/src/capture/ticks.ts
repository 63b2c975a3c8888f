import { setTimeout as sleep } from 'node:timers/promises'
import type { SamplingClock } from './sampling-clock.ts'

/** A sample carries its own time, so it may be late by this share of the interval; later it belongs to the next slot. */
const LATEST_SHARE = 0.8

/**
 * Calls `onTick` at every multiple of every interval on the sampling clock; intervals may be added while it runs.
 * A tick that is too late is skipped and not repeated, so the gap ledger sees the missing slots.
 */
export class Ticks {
  readonly #clock: SamplingClock
  readonly #intervalsMs: ReadonlySet<number>
  readonly #onTick: (tickMs: number) => void
  #nextMs = 0

  constructor(clock: SamplingClock, intervalsMs: ReadonlySet<number>, onTick: (tickMs: number) => void) {
    this.#clock = clock
    this.#intervalsMs = intervalsMs
    this.#onTick = onTick
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#nextMs = nextTickMs(this.#intervalsMs, this.#clock.nowMs())
    while (!signal.aborted) {
      // A timer may fire a fraction of a millisecond early; the tick is then still ahead.
      const waitMs = Math.max(1, this.#nextMs - this.#clock.nowMs())
      await sleep(waitMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) this.takeIfDue()
    }
    this.#nextMs = 0
  }

  /** To be called between two steps of synchronous work, because timers wait until all of that work is done. */
  takeIfDue(): void {
    const nowMs = this.#clock.nowMs()
    if (this.#nextMs === 0 || nowMs < this.#nextMs) return
    const tickMs = latestTickMs(this.#intervalsMs, nowMs)
    this.#nextMs = nextTickMs(this.#intervalsMs, nowMs)
    if (nowMs - tickMs <= Math.min(...this.#intervalsMs) * LATEST_SHARE) this.#onTick(tickMs)
  }
}

function nextTickMs(intervalsMs: Iterable<number>, nowMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY
  for (const everyMs of intervalsMs) nextMs = Math.min(nextMs, (Math.floor(nowMs / everyMs) + 1) * everyMs)
  return nextMs
}

function latestTickMs(intervalsMs: Iterable<number>, nowMs: number): number {
  let latestMs = 0
  for (const everyMs of intervalsMs) latestMs = Math.max(latestMs, Math.floor(nowMs / everyMs) * everyMs)
  return latestMs
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { SamplingClock } from './sampling-clock.ts'

/** A sample tells when it was taken, so a late one is still true; later than this it would belong to the next slot. */
const LATEST_SHARE = 0.8

/**
 * Calls at every multiple of every interval on the sampling clock; intervals may be added meanwhile. A tick that
 * could not be kept in time is left out, never made up for: whoever counts slots sees the jump.
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

  /** For whoever keeps the process busy, to be called between two pieces of work: timers wait until all of it is done. */
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

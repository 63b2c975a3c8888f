import { machineTimer, type Timer } from '../bus/timer.ts'
import type { SamplingClock } from './sampling-clock.ts'

/** A sample carries its own time, so it may be late by this share of its interval; later it belongs to the next slot. */
const LATEST_SHARE = 0.8
const LATEST_MS = 200

/** A time at which slots are due, and the intervals of these slots. */
export type OnTick = (tickMs: number, intervalsMs: ReadonlySet<number>) => void

/**
 * Calls `onTick` at every multiple of every interval on the sampling clock; intervals may be added while it runs.
 * An interval for which a tick is too late is left out and not repeated, so the gap ledger sees the missing slot.
 */
export class Ticks {
  readonly #clock: SamplingClock
  readonly #intervalsMs: ReadonlySet<number>
  readonly #onTick: OnTick
  readonly #timer: Timer
  #nextMs = 0

  constructor(clock: SamplingClock, intervalsMs: ReadonlySet<number>, onTick: OnTick, timer: Timer = machineTimer) {
    this.#timer = timer
    this.#clock = clock
    this.#intervalsMs = intervalsMs
    this.#onTick = onTick
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#nextMs = nextTickMs(this.#intervalsMs, this.#clock.nowMs())
    while (!signal.aborted) {
      // A timer may fire a fraction of a millisecond early; the tick is then still ahead.
      const waitMs = Math.max(1, this.#nextMs - this.#clock.nowMs())
      await this.#timer.sleep(waitMs, signal)
      if (!signal.aborted) this.takeIfDue()
    }
    this.#nextMs = 0
  }

  /** To be called between two steps of synchronous work, because timers wait until all of that work is done. */
  takeIfDue(): void {
    const nowMs = this.#clock.nowMs()
    if (this.#nextMs === 0 || nowMs < this.#nextMs) return
    const due = [...this.#intervalsMs].filter((everyMs) => {
      const tickMs = latestTickMs(everyMs, nowMs)
      return tickMs >= this.#nextMs && nowMs - tickMs <= Math.min(everyMs * LATEST_SHARE, LATEST_MS)
    })
    this.#nextMs = nextTickMs(this.#intervalsMs, nowMs)
    // Ticks of two intervals may be closer to each other than the process is late.
    const byTick = [...Map.groupBy(due, (everyMs) => latestTickMs(everyMs, nowMs))]
    for (const [tickMs, intervalsMs] of byTick.sort(([one], [other]) => one - other))
      this.#onTick(tickMs, new Set(intervalsMs))
  }
}

function nextTickMs(intervalsMs: Iterable<number>, nowMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY
  for (const everyMs of intervalsMs) nextMs = Math.min(nextMs, (Math.floor(nowMs / everyMs) + 1) * everyMs)
  return nextMs
}

function latestTickMs(everyMs: number, nowMs: number): number {
  return Math.floor(nowMs / everyMs) * everyMs
}

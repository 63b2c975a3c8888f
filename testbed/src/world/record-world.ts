import { PriceBoard } from '@bookreel/service/capture/price-board'
import { recordKalshi } from './record-kalshi.ts'
import { type RecordedPerps, recordPerps } from './record-perps.ts'
import { type RecordedPolymarket, recordPolymarket } from './record-polymarket.ts'
import { recordPrices } from './record-prices.ts'
import { Recording } from './recording.ts'
import { TICK_MS, WORLD_FROM_MS, WORLD_NOW_MS } from './world-times.ts'

/**
 * Runs a simulated world as fast as possible. Frames, proofs, samples, gaps and prices come from the code that records
 * live markets; only sockets and clock are left out.
 */
export class RunningWorld {
  readonly polymarket: RecordedPolymarket
  readonly perps: RecordedPerps
  readonly #parts
  #nextTickMs = WORLD_FROM_MS

  constructor(recording: Recording) {
    const clock = { nowMs: WORLD_FROM_MS }
    const board = new PriceBoard(() => clock.nowMs)
    const prices = recordPrices(recording, clock, board)
    this.polymarket = recordPolymarket(recording, clock, board)
    const kalshi = recordKalshi(recording, clock, board)
    this.perps = recordPerps(recording, clock)
    this.#parts = [prices, this.polymarket, kalshi, this.perps]
  }

  advanceTo(ms: number): void {
    for (; this.#nextTickMs <= ms; this.#nextTickMs += TICK_MS)
      for (const part of this.#parts) part.advance(this.#nextTickMs)
  }
}

/** Records the last minutes before `WORLD_NOW_MS`. */
export function recordWorld(): Recording {
  const recording = new Recording()
  new RunningWorld(recording).advanceTo(WORLD_NOW_MS)
  return recording
}

import { PriceBoard } from '@bookreel/service/capture/price-board'
import { recordKalshi } from './record-kalshi.ts'
import { recordPerps } from './record-perps.ts'
import { recordPolymarket } from './record-polymarket.ts'
import { recordPrices } from './record-prices.ts'
import { Recording } from './recording.ts'
import { TICK_MS, WORLD_FROM_MS, WORLD_NOW_MS } from './world-times.ts'

/**
 * Records the last minutes before `WORLD_NOW_MS` as fast as possible. Frames, proofs, samples, gaps and prices come
 * from the code that records live markets; only sockets and clock are left out.
 */
export function recordWorld(): Recording {
  const recording = new Recording()
  const clock = { nowMs: WORLD_FROM_MS }
  const board = new PriceBoard(() => clock.nowMs)
  const parts = [
    recordPrices(recording, clock, board),
    recordPolymarket(recording, clock, board),
    recordKalshi(recording, clock, board),
    recordPerps(recording, clock),
  ]
  for (let tickMs = WORLD_FROM_MS; tickMs <= WORLD_NOW_MS; tickMs += TICK_MS)
    for (const part of parts) part.advance(tickMs)
  return recording
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { SamplingClock } from './sampling-clock.ts'

/**
 * Calls at every multiple of `everyMs` on the sampling clock. A tick that could not be kept in time is left
 * out, never made up for: whoever counts slots sees the jump.
 */
export async function runTicks(
  clock: SamplingClock,
  everyMs: number,
  onTick: (tickMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const latestMs = everyMs * 0.4
  while (!signal.aborted) {
    const nowMs = clock.nowMs()
    const nextMs = (Math.floor(nowMs / everyMs) + 1) * everyMs
    const isOver = await sleep(nextMs - nowMs, false, { signal }).catch(() => true)
    if (isOver) return
    // A timer may fire a fraction of a millisecond early; the tick is then still ahead.
    while (clock.nowMs() < nextMs) await sleep(1)
    if (clock.nowMs() - nextMs <= latestMs) onTick(nextMs)
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { SamplingClock } from './sampling-clock.ts'

/**
 * Calls at every multiple of every interval on the sampling clock; intervals may be added meanwhile. A tick that
 * could not be kept in time is left out, never made up for: whoever counts slots sees the jump.
 */
export async function runTicks(
  clock: SamplingClock,
  intervalsMs: ReadonlySet<number>,
  onTick: (tickMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const nowMs = clock.nowMs()
    const nextMs = nextTickMs(intervalsMs, nowMs)
    const isOver = await sleep(nextMs - nowMs, false, { signal }).catch(() => true)
    if (isOver) return
    // A timer may fire a fraction of a millisecond early; the tick is then still ahead.
    while (clock.nowMs() < nextMs) await sleep(1)
    if (clock.nowMs() - nextMs <= Math.min(...intervalsMs) * 0.4) onTick(nextMs)
  }
}

export function nextTickMs(intervalsMs: Iterable<number>, nowMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY
  for (const everyMs of intervalsMs) nextMs = Math.min(nextMs, (Math.floor(nowMs / everyMs) + 1) * everyMs)
  return nextMs
}

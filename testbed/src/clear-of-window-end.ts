import { setTimeout as sleep } from 'node:timers/promises'

const SHORTEST_WINDOW_MS = 300_000
/** A window that has just opened has no verified book for a moment. */
const SETTLED_MS = 5_000

/**
 * The shortest windows end at every full five minutes, daily ones at midnight. A test during which no window may end
 * waits here when the next end is closer than the duration of the test.
 */
export async function clearOfWindowEnd(testTakesMs: number, windowMs = SHORTEST_WINDOW_MS): Promise<void> {
  const waitMs = waitBeforeTest(testTakesMs, Date.now(), windowMs)
  if (waitMs > 0) await sleep(waitMs)
}

export function waitBeforeTest(testTakesMs: number, nowMs: number, windowMs = SHORTEST_WINDOW_MS): number {
  const sinceMs = nowMs % windowMs
  const leftMs = windowMs - sinceMs
  return leftMs < testTakesMs ? leftMs + SETTLED_MS : Math.max(0, SETTLED_MS - sinceMs)
}

import { setTimeout as sleep } from 'node:timers/promises'

const SHORTEST_WINDOW_MS = 300_000
/** A window that has just opened has no proved book for a moment. */
const SETTLED_MS = 5_000

/**
 * The shortest windows of coins end at full five minutes of the wall clock, days at midnight. A test that must not see
 * one end waits here when the next end is nearer than the test is long.
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

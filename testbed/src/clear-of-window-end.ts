import { setTimeout as sleep } from 'node:timers/promises'

const WINDOW_MS = 300_000
/** A window that has just opened has no proved book for a moment. */
const SETTLED_MS = 5_000

/**
 * The shortest windows of coins, and days, end at full five minutes of the wall clock. A test that must not see one
 * end waits here when the next end is nearer than the test is long.
 */
export async function clearOfWindowEnd(testTakesMs: number): Promise<void> {
  const waitMs = waitBeforeTest(testTakesMs, Date.now())
  if (waitMs > 0) await sleep(waitMs)
}

export function waitBeforeTest(testTakesMs: number, nowMs: number): number {
  const sinceMs = nowMs % WINDOW_MS
  const leftMs = WINDOW_MS - sinceMs
  return leftMs < testTakesMs ? leftMs + SETTLED_MS : Math.max(0, SETTLED_MS - sinceMs)
}

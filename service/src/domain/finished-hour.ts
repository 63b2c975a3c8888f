export const HOUR_MS = 3_600_000
/** The last rows of an hour may still be on the bus, and doubts about them may not be known yet. */
const SETTLES_WITHIN_MS = 300_000

/** When the file of the hour becomes available. */
export function availableAtMs(hourMs: number): number {
  return hourMs + HOUR_MS + SETTLES_WITHIN_MS
}

/** Start of the newest hour whose file is available. */
export function newestFinishedHourMs(nowMs: number): number {
  return Math.floor((nowMs - SETTLES_WITHIN_MS) / HOUR_MS) * HOUR_MS - HOUR_MS
}

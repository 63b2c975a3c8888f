/**
 * A slot is one sampling time: slot n of a plan is `n × captureIntervalMs` after the Unix epoch. Its number is the
 * sequence number of the rows sampled then, so it needs no state, and two recorders of one market use the same
 * numbers, also after a restart.
 */

/** The slot that contains a time. */
export function slotAt(atMs: number, captureIntervalMs: number): number {
  return Math.floor(atMs / captureIntervalMs)
}

export function slotTimeMs(slot: number, captureIntervalMs: number): number {
  return slot * captureIntervalMs
}

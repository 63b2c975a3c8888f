/**
 * A slot is one sampling instant: slot n of a plan is `n × captureIntervalMs` since the Unix epoch. Its
 * number is the sequence number of every row sampled at it, so it needs no state, survives restarts, and two
 * recorders of one market count alike.
 */

/** The slot that has begun most recently. */
export function slotAt(atMs: number, captureIntervalMs: number): number {
  return Math.floor(atMs / captureIntervalMs)
}

export function slotTimeMs(slot: number, captureIntervalMs: number): number {
  return slot * captureIntervalMs
}

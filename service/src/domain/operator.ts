/** A signed-in person who operates this service. */
export interface Operator {
  readonly name: string
  /** When the person last proved who they are; undefined when the identity provider does not tell. */
  readonly provedAtMs?: number
}

/** Changes need a proof of identity that is at most this old. */
export const RECENT_PROOF_MS = 15 * 60_000
/** Clocks of two computers differ a little; a proof further ahead is none. */
const CLOCKS_DIFFER_MS = 60_000

export function isRecentProof({ provedAtMs }: Operator, nowMs: number): boolean {
  if (provedAtMs === undefined) return false
  return nowMs - provedAtMs <= RECENT_PROOF_MS && provedAtMs - nowMs <= CLOCKS_DIFFER_MS
}

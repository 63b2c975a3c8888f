/**
 * How a venue lets us prove that our book equals its book. `hash`: it publishes a hash of the whole book. `sequence`: it
 * numbers its changes, so that a lost one is noticed. `none`: there is nothing to check.
 */
export const PROOFS = ['hash', 'sequence', 'none'] as const
export type Proof = (typeof PROOFS)[number]

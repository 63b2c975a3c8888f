import type { Heartbeat } from './heartbeat.ts'

/** What users and operators should know although every service works. */
export interface Notice {
  readonly code: 'proof_rule_changed'
  readonly venue: string
  /** What it means and what an operator does. */
  readonly message: string
}

/** A gauge of recorders: 1 while the hashes of a venue no longer follow a rule that we know. */
const PROOF_RULE_CHANGED = 'capture_proof_rule_changed'

/** From the newest heartbeats of all processes; each venue is named once. */
export function noticesOf(heartbeats: readonly Heartbeat[]): Notice[] {
  const readings = heartbeats
    .flatMap(({ metrics }) => metrics)
    .filter(({ name }) => name === PROOF_RULE_CHANGED)
    .flatMap((metric) => metric.readings)
  const venues = new Set(readings.filter(({ value }) => value > 0).map(({ labels }) => labels.venue ?? ''))
  return [...venues].toSorted().map((venue) => ({ code: 'proof_rule_changed', venue, message: ruleChanged(venue) }))
}

function ruleChanged(venue: string): string {
  return `The venue ${venue} changed how it computes the hashes of its books, so books cannot be proved now. Recording continues, and rows are marked unverified. Operators: add the new rule to service/src/venues/${venue}/hash-rules.ts and install it; rows recorded from then on are verified. To prove the rows of the time since the change, run bookreel-server rebuild for it afterwards, while its raw archive (RAW_DIR) is kept.`
}

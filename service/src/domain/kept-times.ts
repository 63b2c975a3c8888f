import type { TimeRange } from './time-range.ts'

/** Times of which rows that were produced again are not complete: stored rows of them stay, although they are not among these. */
export interface KeptTimes {
  readonly snapshots: readonly TimeRange[]
  /** Gaps and trades. */
  readonly others: readonly TimeRange[]
  /** Rows from here on are not produced again. */
  readonly rangeEndMs: number
}

import type { GapCause } from './rows/gap.ts'

/** Why a book may be wrong or incomplete. */
export interface Doubt {
  cause: GapCause
  detail: string
}

/** Frames of a connection are missing. */
export interface Loss extends Doubt {
  /** The last time at which nothing was missing yet; left out, the time of the last data. */
  rightUntilMs?: number
}

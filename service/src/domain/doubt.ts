import type { GapCause } from './rows/gap.ts'

/** Why a book may be wrong or incomplete. */
export interface Doubt {
  cause: GapCause
  detail: string
}

import type { ProvedState } from '../venue.ts'

/** With the venue's hashes of the two books, to compare with a REST answer. */
export interface HashedState extends ProvedState {
  upHash: string
  downHash: string
}

import type { PerpSnapshot } from '../domain/rows/perp-snapshot.ts'
import type { Snapshot } from '../domain/rows/snapshot.ts'
import type { Absence } from './gap-ledger.ts'

/** The row of a slot, in the table that its kind of market has; or why there is none. */
export type Sample =
  | { readonly snapshot: Snapshot }
  | { readonly perpSnapshot: PerpSnapshot }
  | { readonly absence: Absence }

/** A market with one or two books, as the recorder sees it. */
export interface SampledMarket {
  readonly id: string
  readonly intervalMs: number
  /** Called at each of its slots, after `settle`. */
  sample(slot: number, capturedAtMs: number): Sample
  /** Judges what is pending before a slot; returns doubts about rows that were sampled before. */
  settle(nowMs: number): readonly Absence[]
  /** Times since the last call at which trades may have been lost. */
  takeLosses(): readonly Absence[]
}

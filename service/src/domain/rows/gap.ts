import { slotTimeMs } from '../slot.ts'
import { hexId, instant, lowCardinality, string, uint32, uint64 } from './column-types.ts'
import { rowSchemaOf } from './row-schema.ts'

/** The causes that this version writes. Readers accept others: a newer recorder may know more. */
export const GAP_CAUSES = [
  'venue_silent',
  'disconnected',
  'hash_mismatch',
  'sequence_gap',
  'impossible_book',
  'resync',
  'late_slot',
  'capturer_down',
  'capturer_overloaded',
  'bus_unavailable',
  'clock_step',
  'not_listed_yet',
  'undecodable',
] as const
export type GapCause = (typeof GAP_CAUSES)[number] | (string & {})

/** `missing`: there is no row. `suspect`: rows were stored before the doubt was known, and are returned with a flag. */
export const GAP_KINDS = ['missing', 'suspect'] as const
export type GapKind = (typeof GAP_KINDS)[number]

/** Slots of one market that have no row, or rows not to be trusted; both ends included. */
export interface Gap {
  marketId: string
  fromSlot: number
  toSlot: number
  /** The slot at which the gap was detected; no row is sampled from here until the book is proved again. */
  knownAtSlot: number
  cause: GapCause
  kind: GapKind
  intervalMs: number
  detail: string
}

/** Slots of one market in which trades may be missing; both ends included. It says nothing about the rows of these slots. */
export interface TradeGap extends Omit<Gap, 'kind'> {
  kind: typeof TRADES_KIND
}

/** What the table of gaps stores. */
export type StoredGap = Gap | TradeGap

export const TRADES_KIND = 'trades'

export function isRowGap(gap: StoredGap): gap is Gap {
  return gap.kind !== TRADES_KIND
}

/** The key is (market_id, from_slot, cause, kind); of repeated rows the largest to_slot stays. */
export const gapSchema = rowSchemaOf<StoredGap>()(
  ({ column }) => ({
    market_id: column(hexId, (gap) => gap.marketId),
    from_slot: column(uint64, (gap) => gap.fromSlot),
    from_at: column(instant, (gap) => slotTimeMs(gap.fromSlot, gap.intervalMs)),
    to_slot: column(uint64, (gap) => gap.toSlot),
    known_at_slot: column(uint64, (gap) => gap.knownAtSlot),
    cause: column(lowCardinality, (gap) => gap.cause),
    kind: column(lowCardinality, (gap) => gap.kind),
    interval_ms: column(uint32, (gap) => gap.intervalMs),
    detail: column(string, (gap) => gap.detail),
  }),
  (values): StoredGap => ({
    marketId: values.market_id,
    fromSlot: values.from_slot,
    toSlot: values.to_slot,
    knownAtSlot: values.known_at_slot,
    cause: values.cause,
    // A kind of a newer version: treat its rows as suspect.
    kind: values.kind === 'missing' || values.kind === TRADES_KIND ? values.kind : 'suspect',
    intervalMs: values.interval_ms,
    detail: values.detail,
  }),
)

export const { write: writeGap, read: readGap, columns: GAP_COLUMNS } = gapSchema

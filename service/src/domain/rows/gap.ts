import { slotTimeMs } from '../slot.ts'
import type { RowReader, RowWriter } from './row-binary.ts'

/** Why rows are missing or in doubt. The list is closed: what fits none of these is a bug of ours. */
export const GAP_CAUSES = [
  'venue_silent',
  'disconnected',
  'hash_mismatch',
  'impossible_book',
  'resync',
  'late_slot',
  'capturer_down',
  'bus_unavailable',
  'clock_step',
  'not_listed_yet',
  'undecodable',
] as const
export type GapCause = (typeof GAP_CAUSES)[number]

/** `missing`: there is no row. `suspect`: rows were stored before the doubt was known, and are returned with a flag. */
export const GAP_KINDS = ['missing', 'suspect'] as const
export type GapKind = (typeof GAP_KINDS)[number]

/** Slots of one market that have no row, or rows not to be trusted; both ends included. */
export interface Gap {
  marketId: string
  fromSlot: number
  toSlot: number
  /** When we found out: no row is sampled from here until the book is proved again. */
  knownAtSlot: number
  cause: GapCause
  kind: GapKind
  intervalMs: number
  detail: string
}

/** In ClickHouse's order and types; the key is (market_id, from_slot, cause, kind), and the largest to_slot stays. */
export const GAP_COLUMNS = [
  ['market_id', 'FixedString(32)'],
  ['from_slot', 'UInt64'],
  ['from_at', "DateTime64(3, 'UTC')"],
  ['to_slot', 'UInt64'],
  ['known_at_slot', 'UInt64'],
  ['cause', 'LowCardinality(String)'],
  ['kind', 'LowCardinality(String)'],
  ['interval_ms', 'UInt32'],
  ['detail', 'String'],
] as const

export function writeGap(writer: RowWriter, gap: Gap): void {
  writer.hexBytes(gap.marketId, 32)
  writer.uint64(gap.fromSlot)
  writer.uint64(slotTimeMs(gap.fromSlot, gap.intervalMs))
  writer.uint64(gap.toSlot)
  writer.uint64(gap.knownAtSlot)
  writer.string(gap.cause)
  writer.string(gap.kind)
  writer.uint32(gap.intervalMs)
  writer.string(gap.detail)
}

export function readGap(reader: RowReader): Gap {
  const marketId = reader.hexBytes(32)
  const fromSlot = reader.uint64()
  reader.uint64()
  const toSlot = reader.uint64()
  const knownAtSlot = reader.uint64()
  const cause = oneOf(GAP_CAUSES, reader.string())
  const kind = oneOf(GAP_KINDS, reader.string())
  return { marketId, fromSlot, toSlot, knownAtSlot, cause, kind, intervalMs: reader.uint32(), detail: reader.string() }
}

function oneOf<Word extends string>(words: readonly Word[], word: string): Word {
  const known = words.find((each) => each === word)
  if (known === undefined) throw new Error(`unknown word in a gap: ${word}`)
  return known
}

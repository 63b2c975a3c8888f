import type { Gap, GapCause, GapKind } from './rows/gap.ts'
import type { SlotRun } from './slot-accounting.ts'

/** Slots one after another that are missing, or in doubt, for one reason; null when no record says why. */
export interface GapSegment extends SlotRun {
  readonly kind: GapKind
  readonly cause: GapCause | null
}

/**
 * What the records say of slots without a row, one segment after the other from the first slot to the last. Where
 * several tell of the same slots, the one that began first counts.
 */
export function explainHole(hole: SlotRun, records: Iterable<Gap>): GapSegment[] {
  const telling = [...records]
    .filter(({ kind, fromSlot, toSlot }) => kind === 'missing' && fromSlot <= hole.toSlot && toSlot >= hole.fromSlot)
    .sort((one, other) => one.fromSlot - other.fromSlot || (one.cause < other.cause ? -1 : 1))
  const segments: GapSegment[] = []
  let next = hole.fromSlot
  for (const { fromSlot, toSlot, cause } of telling) {
    if (toSlot < next) continue
    if (fromSlot > next) segments.push({ fromSlot: next, toSlot: fromSlot - 1, kind: 'missing', cause: null })
    const segment = { fromSlot: Math.max(next, fromSlot), toSlot: Math.min(toSlot, hole.toSlot) }
    segments.push({ ...segment, kind: 'missing', cause })
    next = segment.toSlot + 1
  }
  if (next <= hole.toSlot) segments.push({ fromSlot: next, toSlot: hole.toSlot, kind: 'missing', cause: null })
  return segments
}

/** What is to be told before the row of `slot` when the row before it was that of `before`, by where it begins. */
export function gapsBetween(before: number, slot: number, records: Iterable<Gap>): GapSegment[] {
  const known = [...records]
  const missing = slot > before + 1 ? explainHole({ fromSlot: before + 1, toSlot: slot - 1 }, known) : []
  const suspect = known
    .filter(({ kind, knownAtSlot }) => kind === 'suspect' && knownAtSlot > before && knownAtSlot <= slot)
    .map(({ fromSlot, toSlot, kind, cause }) => ({ fromSlot, toSlot, kind, cause }))
  if (suspect.length === 0) return missing
  return [...suspect, ...missing].sort(
    (one, other) => one.fromSlot - other.fromSlot || one.toSlot - other.toSlot || (one.kind < other.kind ? -1 : 1),
  )
}

export function isExplained(segments: readonly GapSegment[]): boolean {
  return segments.every(({ cause }) => cause !== null)
}

import type { Gap, GapCause, GapKind } from './rows/gap.ts'
import type { SlotRange } from './slot-range.ts'

/** Consecutive slots that are missing or suspect for one cause; null when no gap record explains them. */
export interface GapSegment extends SlotRange {
  readonly kind: GapKind
  readonly cause: GapCause | null
}

/** Splits slots without a row into segments by cause. Where several gaps cover a slot, the one that starts first counts. */
export function explainHole(hole: SlotRange, records: Iterable<Gap>): GapSegment[] {
  const covering = [...records]
    .filter(({ kind, fromSlot, toSlot }) => kind === 'missing' && fromSlot <= hole.toSlot && toSlot >= hole.fromSlot)
    .sort(
      (one, other) => one.fromSlot - other.fromSlot || compareText(one.cause, other.cause) || other.toSlot - one.toSlot,
    )
  const segments: GapSegment[] = []
  let next = hole.fromSlot
  for (const { fromSlot, toSlot, cause } of covering) {
    if (toSlot < next) continue
    if (fromSlot > next) segments.push({ fromSlot: next, toSlot: fromSlot - 1, kind: 'missing', cause: null })
    const segment = { fromSlot: Math.max(next, fromSlot), toSlot: Math.min(toSlot, hole.toSlot) }
    segments.push({ ...segment, kind: 'missing', cause })
    next = segment.toSlot + 1
  }
  if (next <= hole.toSlot) segments.push({ fromSlot: next, toSlot: hole.toSlot, kind: 'missing', cause: null })
  return segments
}

/** The segments to report between the row of `before` and the row of `slot`, in order. */
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

function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

import type { Gap } from '../../domain/rows/gap.ts'
import { NO_SLOTS } from '../../domain/slot-range.ts'
import type { RecordedWindow } from '../../stores/books/recorded-window.ts'
import type { CaptureRange, RowCount } from '../../stores/books/snapshot-pages.ts'
import { type Coverage, coverageOfSlots } from '../schemas/coverage.ts'

/**
 * Expects the slots that surely belong to the range. A row may be captured on the other side of a bound than its slot,
 * so slots at the bounds count only when they have a row. Nothing is expected before the first or after the last row or
 * gap of a market.
 */
export function coverageOf(
  range: CaptureRange,
  { rowCount: count, firstSlot, lastSlot }: RowCount,
  gaps: readonly Gap[],
  window: RecordedWindow | undefined,
): Coverage {
  const { intervalMs } = range
  const missing = gaps.filter(({ kind }) => kind === 'missing')
  const knownFrom = Math.min(window?.firstSlot ?? Infinity, ...missing.map(({ fromSlot }) => fromSlot))
  const knownTo = Math.max(window?.lastSlot ?? -Infinity, lastSlot ?? -Infinity, ...missing.map(({ toSlot }) => toSlot))
  const sureFrom = Math.max(range.fromSlot, Math.ceil(range.fromMs / intervalMs), knownFrom)
  const sureTo = Math.min(range.toSlot, Math.floor(range.toMs / intervalMs) - 1, knownTo)
  const isSure = sureFrom <= sureTo
  const from = Math.min(isSure ? sureFrom : Infinity, firstSlot ?? Infinity)
  const to = Math.max(isSure ? sureTo : -Infinity, lastSlot ?? -Infinity)
  return coverageOfSlots(to >= from ? { fromSlot: from, toSlot: to } : NO_SLOTS, count, intervalMs)
}

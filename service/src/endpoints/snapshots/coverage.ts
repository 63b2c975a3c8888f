import { z } from 'zod'
import type { Gap } from '../../domain/rows/gap.ts'
import type { RecordedWindow } from '../../stores/books/recorded-window.ts'
import type { CaptureRange, RowCount } from '../../stores/books/snapshot-pages.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

/** How complete a range of slots is. */
export const Coverage = z
  .object({
    expected_slots: z.int().describe('slots of the range in which the market was recorded'),
    stored_slots: z.int().describe('expected slots that have a row'),
    missing_slots: z.int(),
    share: z.number().nullable().describe('stored divided by expected slots; null when none was expected'),
    first_slot: z.int().nullable().describe('first slot that is counted'),
    last_slot: z.int().nullable().describe('last slot that is counted'),
    first: Instant.nullable().describe('time of the first slot that is counted'),
    last: Instant.nullable().describe('time of the last slot that is counted'),
  })
  .meta({ id: 'Coverage' })
export type Coverage = z.infer<typeof Coverage>

const DIGITS = 1_000_000

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
  const expected = to >= from ? to - from + 1 : 0
  const isNone = expected === 0
  return {
    expected_slots: expected,
    stored_slots: count,
    missing_slots: expected - count,
    share: isNone ? null : Math.floor((count / expected) * DIGITS) / DIGITS,
    first_slot: isNone ? null : from,
    last_slot: isNone ? null : to,
    first: isNone ? null : instantOf(from * intervalMs),
    last: isNone ? null : instantOf(to * intervalMs),
  }
}

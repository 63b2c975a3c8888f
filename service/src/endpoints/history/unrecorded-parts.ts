import { z } from 'zod'
import { type SlotRange, slotCount, slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import type { FoundMarket } from '../shared/found-market.ts'
import type { RequestedRange } from '../shared/requested-range.ts'

/** A market whose last slot is newer than this is still being recorded. */
const RECORDED_UNTIL_NOW_MS = 60_000

export const UnrecordedPart = z
  .object({
    from: Instant,
    to: Instant.describe('not included'),
    slots: z.int(),
    reason: z
      .enum(['before_recording', 'after_recording'])
      .describe('before_recording: before the first recorded slot. after_recording: after the last one'),
  })
  .meta({ id: 'UnrecordedPart' })
export type UnrecordedPart = z.infer<typeof UnrecordedPart>

type Window = Pick<FoundMarket, 'startsAtMs' | 'endsAtMs'>

/**
 * The range that a request is about. Without `from` and `to` that is everything recorded and the window of the market,
 * up to now, so that a window recorded in part does not look complete.
 */
export function rangeAskedFor(
  query: { readonly from?: number | undefined; readonly to?: number | undefined },
  requested: RequestedRange,
  { startsAtMs, endsAtMs }: Window,
  known: TimeRange,
  nowMs: number,
): TimeRange {
  const isRecordedUntilNow = nowMs - known.toMs < RECORDED_UNTIL_NOW_MS
  const end = isRecordedUntilNow ? known.toMs : Math.max(known.toMs, Math.min(endsAtMs, nowMs))
  const start = Math.max(requested.historyFromMs ?? 0, Math.min(known.fromMs, startsAtMs ?? known.fromMs))
  return {
    fromMs: query.from ?? Math.min(start, query.to ?? start),
    toMs: query.to ?? Math.max(end, query.from ?? end),
  }
}

/** The parts of the range, in whole slots, before the first and after the last recorded slot. */
export function unrecordedParts(asked: TimeRange, known: TimeRange, intervalMs: number): UnrecordedPart[] {
  const [all, recorded] = [slotsIn(asked, intervalMs), slotsIn(known, intervalMs)]
  const before = { fromSlot: all.fromSlot, toSlot: Math.min(all.toSlot, recorded.fromSlot - 1) }
  const after = { fromSlot: Math.max(all.fromSlot, recorded.toSlot + 1), toSlot: all.toSlot }
  return [...partOf(before, 'before_recording', intervalMs), ...partOf(after, 'after_recording', intervalMs)]
}

/** The share of the slots of the range that lie in the recorded range, rounded down; null when the range has no slot. */
export function recordedShareOf(asked: TimeRange, parts: readonly UnrecordedPart[], intervalMs: number): number | null {
  const all = slotCount(slotsIn(asked, intervalMs))
  const outside = parts.reduce((sum, { slots }) => sum + slots, 0)
  return all === 0 ? null : Math.floor(((all - outside) / all) * 1_000_000) / 1_000_000
}

function partOf(slots: SlotRange, reason: UnrecordedPart['reason'], intervalMs: number): UnrecordedPart[] {
  const count = slotCount(slots)
  if (count === 0) return []
  const [fromMs, toMs] = [slots.fromSlot * intervalMs, (slots.toSlot + 1) * intervalMs]
  return [{ from: instantOf(fromMs), to: instantOf(toMs), slots: count, reason }]
}

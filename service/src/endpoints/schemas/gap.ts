import { z } from 'zod'
import { GAP_CAUSES, GAP_KINDS, type Gap } from '../../domain/rows/gap.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import { hasSlot, slotCount } from '../../domain/slot-range.ts'
import { Instant, instantOf } from './instant.ts'
import { openEnum } from './json-schema.ts'

/** A newer recorder may write causes that this version doesn't know. */
export const Cause = openEnum(GAP_CAUSES).describe(
  'why the rows are missing or in doubt. More causes may be added; accept those you don’t know',
)

/** Slots without rows, or with rows in doubt. */
export const GapRecord = z
  .object({
    first_slot: z.int(),
    last_slot: z.int(),
    from: Instant.describe('time of the first slot'),
    to: Instant.describe('end of the last slot, not included'),
    cause: Cause,
    kind: z
      .enum(GAP_KINDS)
      .describe('missing: there are no rows. suspect: there are rows, and they have the flag suspect'),
    known_at: Instant.describe('when the gap was found'),
  })
  .meta({ id: 'Gap' })
export type GapRecord = z.infer<typeof GapRecord>

export function gapRecordOf({ fromSlot, toSlot, knownAtSlot, cause, kind, intervalMs }: Gap): GapRecord {
  return {
    first_slot: fromSlot,
    last_slot: toSlot,
    from: instantOf(slotTimeMs(fromSlot, intervalMs)),
    to: instantOf(slotTimeMs(toSlot + 1, intervalMs)),
    cause,
    kind,
    known_at: instantOf(slotTimeMs(knownAtSlot, intervalMs)),
  }
}

export function isSuspectAt(gaps: readonly Gap[], slot: number): boolean {
  return gaps.some((gap) => gap.kind === 'suspect' && hasSlot(gap, slot))
}

export const GapEntry = GapRecord.extend({
  slots: z.int().describe('how many slots it has'),
  detail: z.string().describe('note of the recorder'),
}).meta({ id: 'GapEntry' })

export function gapEntryOf(gap: Gap): z.infer<typeof GapEntry> {
  return { ...gapRecordOf(gap), slots: slotCount(gap), detail: gap.detail }
}

import { z } from 'zod'
import { GAP_CAUSES, GAP_KINDS, type Gap } from '../../domain/rows/gap.ts'
import { slotTimeMs } from '../../domain/slot.ts'
import { Instant, instantOf } from './instant.ts'

/** A newer recorder may write causes that this version doesn't know, so clients must accept any text. */
export const Cause = z.string().describe(`why; an open list, at present ${GAP_CAUSES.join(', ')}`)

/** Slots without rows, or with rows in doubt. */
export const GapRecord = z
  .object({
    from_slot: z.int().describe('first slot of it'),
    to_slot: z.int().describe('last slot of it'),
    from: Instant.describe('time of its first slot'),
    to: Instant.describe('time of its last slot'),
    cause: Cause,
    kind: z.enum(GAP_KINDS).describe('missing: there is no row. suspect: rows are there, and carry a flag'),
    known_at: Instant.describe('when it was found'),
  })
  .meta({ id: 'Gap' })
export type GapRecord = z.infer<typeof GapRecord>

export function gapRecordOf({ fromSlot, toSlot, knownAtSlot, cause, kind, intervalMs }: Gap): GapRecord {
  return {
    from_slot: fromSlot,
    to_slot: toSlot,
    from: instantOf(slotTimeMs(fromSlot, intervalMs)),
    to: instantOf(slotTimeMs(toSlot, intervalMs)),
    cause,
    kind,
    known_at: instantOf(slotTimeMs(knownAtSlot, intervalMs)),
  }
}

export function isSuspectAt(gaps: readonly Gap[], slot: number): boolean {
  return gaps.some(({ kind, fromSlot, toSlot }) => kind === 'suspect' && fromSlot <= slot && slot <= toSlot)
}

import { z } from 'zod'
import type { Gap } from '../../domain/rows/gap.ts'
import { GapRecord, gapRecordOf } from '../schemas/gap.ts'

/** A gap with all that is known of it. */
export const GapEntry = GapRecord.extend({
  slots: z.int().describe('how many slots it has'),
  detail: z.string().describe('what the recorder noted'),
}).meta({ id: 'GapEntry' })
type GapEntry = z.infer<typeof GapEntry>

export function gapEntryOf(gap: Gap): GapEntry {
  return { ...gapRecordOf(gap), slots: gap.toSlot - gap.fromSlot + 1, detail: gap.detail }
}

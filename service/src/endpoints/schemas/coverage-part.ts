import { z } from 'zod'
import { CONDITIONS, type CoveragePart as CountedPart } from '../../domain/coverage-parts.ts'
import { roundedShare } from './coverage.ts'
import { Instant, instantOf } from './instant.ts'

/** How complete an hour or a day is. */
export const CoveragePart = z
  .object({
    start: Instant.describe('start of the hour or day, in UTC'),
    expected_slots: z.int().describe('slots of it in the recorded range'),
    stored_slots: z.int().describe('expected slots that have a row'),
    missing_slots: z.int(),
    suspect_slots: z.int().describe('slots whose row is in doubt'),
    share: z.number().describe('stored divided by expected slots, rounded down'),
    condition: z
      .enum(CONDITIONS)
      .describe(
        'available: every slot has a row that is not in doubt. degraded: some are missing or in doubt. missing: none has a row. pending: rows may still come',
      ),
    causes: z
      .record(z.string(), z.int())
      .describe('slots that the gap records of each cause cover; records of several causes may overlap'),
  })
  .meta({ id: 'CoveragePart' })

export function coveragePartOf(part: CountedPart): z.infer<typeof CoveragePart> {
  const { startMs, expected, stored, suspect, condition, causes } = part
  return {
    start: instantOf(startMs),
    expected_slots: expected,
    stored_slots: stored,
    missing_slots: expected - stored,
    suspect_slots: suspect,
    share: roundedShare(stored, expected),
    condition,
    causes: { ...causes },
  }
}

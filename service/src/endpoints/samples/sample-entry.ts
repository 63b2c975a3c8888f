import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import type { Sample } from '../../stores/books/samples.ts'
import { Coverage } from '../schemas/coverage.ts'
import { GapEntry } from '../schemas/gap.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { VenueName } from '../schemas/venue.ts'

/** What `samples add` writes about an hour. */
export const SampleFacts = z.object({
  market_id: z.string(),
  slug: z.string(),
  question: z.string(),
  venue: VenueName,
  hour: Instant.describe('start of the hour'),
  revision: z.int().describe('revision of the hour when the sample was made'),
  rows: z.int().describe('token snapshots in the file'),
  bytes: z.int().describe('size of the file'),
  sha256: z.string().describe('hash of the file'),
  coverage: Coverage.describe('of the recorded slots of the hour'),
  gap_count: z.int(),
  gaps: z.array(GapEntry).describe('gaps of the hour'),
})

export const SampleEntry = SampleFacts.extend({
  id: z.string(),
  made_at: Instant,
  snapshots_path: z.string().describe('path of some of its snapshots as JSON'),
  file_path: z.string().describe('path of the Parquet file'),
}).meta({ id: 'Sample' })

export const SampleParams = z.object({ sample: z.string().min(1).max(120).describe('`id` of a sample') })

/** Samples change only when an operator makes others. */
export const SAMPLE_MAX_AGE_SECONDS = 300

export function sampleEntryOf({ id, madeAtMs, facts }: Sample): z.output<typeof SampleEntry> {
  return {
    ...SampleFacts.parse(facts),
    id,
    made_at: instantOf(madeAtMs),
    snapshots_path: `/v1/samples/${id}`,
    file_path: `/v1/samples/${id}/file`,
  }
}

/** A sample that was made again is another version, also when its file is the same. */
export function sampleVersionOf({ id, madeAtMs, sha256 }: Sample): string {
  return `${id} ${madeAtMs} ${sha256}`
}

export function noSuchSample(): ApiError {
  return new ApiError('sample_not_found', 'There is no sample with this id. GET /v1/samples lists all samples.')
}

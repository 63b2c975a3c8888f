import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Flag } from '../schemas/parameters.ts'
import { noSuchSample, SAMPLE_MAX_AGE_SECONDS, SampleEntry, SampleParams, sampleEntryOf } from './sample-entry.ts'

export const getSampleFile = endpoint({
  method: 'GET',
  path: '/v1/samples/{sample}/file',
  name: 'get_sample_file',
  group: 'Public',
  summary: 'Download a sample as a Parquet file',
  description:
    'The file of an hour as `GET /v1/markets/{id}/export` has it, free and without a key. Supports `Range`, `If-Range` and `If-None-Match`; `ETag` and `X-Sha256` contain the hash of the whole file.',
  access: 'public',
  params: SampleParams,
  query: z.object({
    dry_run: Flag.default(false).describe('true returns what the sample is, without the file'),
  }),
  reply: SampleEntry,
  errors: ['sample_not_found', 'range_not_satisfiable'],

  async file({ params, query, stores, nowMs }) {
    if (query.dry_run) return undefined
    const sample = await stores.samples.find(params.sample, nowMs)
    const path = sample && (await stores.samples.fileOf(sample))
    if (sample === undefined || path === undefined) throw noSuchSample()
    const { revision, sha256, rows } = sampleEntryOf(sample)
    return {
      file: { path, name: `${sample.id}.parquet`, sha256, revision, type: 'application/vnd.apache.parquet' },
      heldAs: `sample:${sample.id}`,
      aside: { rowCount: rows, revision },
      maxAgeSeconds: SAMPLE_MAX_AGE_SECONDS,
    }
  },

  async handle({ params, stores, nowMs }) {
    const sample = await stores.samples.find(params.sample, nowMs)
    if (sample === undefined) throw noSuchSample()
    return { body: sampleEntryOf(sample), maxAgeSeconds: SAMPLE_MAX_AGE_SECONDS }
  },
})

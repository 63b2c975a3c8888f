import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { TokenSnapshot } from '../schemas/snapshot.ts'
import {
  noSuchSample,
  SAMPLE_MAX_AGE_SECONDS,
  SampleEntry,
  SampleParams,
  sampleEntryOf,
  sampleVersionOf,
} from './sample-entry.ts'

/** Most snapshots of a sample in JSON. */
export const SAMPLE_SNAPSHOTS = 500

export const getSample = endpoint({
  method: 'GET',
  path: '/v1/samples/{sample}',
  name: 'get_sample',
  group: 'Public',
  summary: 'Get a sample with some of its snapshots',
  description: `${SAMPLE_SNAPSHOTS} token snapshots at most, as the list of snapshots has them: around the first gap of the hour, or from its beginning. All of them are in the file.`,
  access: 'public',
  params: SampleParams,
  reply: SampleEntry.extend({ snapshots: z.array(TokenSnapshot) }).meta({ id: 'SampleSnapshots' }),
  errors: ['sample_not_found'],
  keepsAnswers: true,
  table: {
    columns: Object.keys(TokenSnapshot.shape),
    rows: ({ snapshots }) => snapshots,
    inRows: ['snapshots'],
  },

  async handle({ params, stores, nowMs }) {
    const sample = await stores.samples.find(params.sample, nowMs)
    if (sample === undefined) throw noSuchSample()
    const snapshots = (await stores.samples.snapshotsOf(sample)) as z.output<typeof TokenSnapshot>[]
    return {
      body: { ...sampleEntryOf(sample), snapshots },
      keptAs: sampleVersionOf(sample),
      maxAgeSeconds: SAMPLE_MAX_AGE_SECONDS,
    }
  },
})

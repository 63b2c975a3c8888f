import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { SAMPLE_MAX_AGE_SECONDS, SampleEntry, sampleEntryOf, sampleVersionOf } from './sample-entry.ts'

export const listSamples = endpoint({
  method: 'GET',
  path: '/v1/samples',
  name: 'list_samples',
  group: 'Public',
  summary: 'List finished hours that everybody may look at',
  description:
    'Each is one hour of one market, with its gaps: some of its snapshots as JSON, and all of them as a Parquet file. The list is empty when the operator has made none.',
  access: 'public',
  reply: z.object({ samples: z.array(SampleEntry) }).meta({ id: 'Samples' }),
  errors: [],
  keepsAnswers: true,
  table: { columns: Object.keys(SampleEntry.shape), rows: ({ samples }) => samples, inRows: ['samples'] },

  async handle({ stores, nowMs }) {
    const samples = await stores.samples.list(nowMs)
    return {
      body: { samples: samples.map(sampleEntryOf) },
      keptAs: samples.map(sampleVersionOf).join(),
      maxAgeSeconds: SAMPLE_MAX_AGE_SECONDS,
      ...(samples.length === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})

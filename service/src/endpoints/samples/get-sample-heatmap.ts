import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { HeatMap } from '../history/get-market-heatmap.ts'
import { Side } from '../schemas/parameters.ts'
import { noSuchSample, SAMPLE_MAX_AGE_SECONDS, SampleParams, sampleVersionOf } from './sample-entry.ts'

const Tiles = z.array(HeatMap)

export const getSampleHeatmap = endpoint({
  method: 'GET',
  path: '/v1/samples/{sample}/heatmap',
  name: 'get_sample_heatmap',
  group: 'Public',
  summary: 'Get the heat map of a sample: sizes by time and price',
  description:
    'The tiles that touch the hour, in the order of time, as `GET /v1/markets/{id}/heatmap` has them with 16 slots in a column, when the sample was made. The list is empty for a sample of an earlier version.',
  access: 'public',
  params: SampleParams,
  query: z.object({ side: Side.default('UP').describe('the token') }),
  reply: z.object({ sample: z.string(), side: Side, tiles: Tiles }).meta({ id: 'SampleHeatMap' }),
  errors: ['sample_not_found'],
  keepsAnswers: true,

  async handle({ params, query, stores, nowMs }) {
    const sample = await stores.samples.find(params.sample, nowMs)
    if (sample === undefined) throw noSuchSample()
    const all = (await stores.samples.tilesOf(sample)) as z.output<typeof Tiles>
    const tiles = all.filter(({ side }) => side === query.side)
    return {
      body: { sample: sample.id, side: query.side, tiles },
      keptAs: `${sampleVersionOf(sample)} ${query.side}`,
      maxAgeSeconds: SAMPLE_MAX_AGE_SECONDS,
      ...(tiles.length === 0 && { emptyReason: 'no_match' as const }),
    }
  },
})

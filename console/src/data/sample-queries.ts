import { queryOptions } from '@tanstack/react-query'
import { publicClient } from './clients.ts'

/** A sample never changes; the operator may replace it. */
const FRESH_MS = 300_000

export const samplesQuery = queryOptions({
  queryKey: ['samples'],
  queryFn: async ({ signal }) => (await publicClient.public.samples({ signal })).samples,
  staleTime: FRESH_MS,
})

export function sampleHeatMapQuery(sample: string) {
  return queryOptions({
    queryKey: ['sample-heat-map', sample],
    queryFn: async ({ signal }) => (await publicClient.public.sampleHeatmap(sample, {}, { signal })).tiles,
    staleTime: FRESH_MS,
  })
}

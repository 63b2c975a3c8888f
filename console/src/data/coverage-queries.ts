import type { ListCoverageQuery } from '@bookreel/sdk'
import { queryOptions } from '@tanstack/react-query'
import { accountClient, publicClient } from './clients.ts'

/** Which markets the coverage is of; everything when left out. */
export type CoverageChoice = Pick<ListCoverageQuery, 'venue' | 'category'>

const MINUTE_MS = 60_000
/** Gaps of one hour that a page shows. */
export const MAX_GAPS = 200

interface DayRange {
  readonly first: string
  readonly last: string
}

export function coverageDaysQuery(choice: CoverageChoice, { first, last }: DayRange) {
  return queryOptions({
    queryKey: ['coverage', 'days', choice, first, last],
    queryFn: ({ signal }) =>
      publicClient.history.coverage({ by: 'day', from: startOf(first), to: endOf(last), ...choice }, { signal }),
    staleTime: MINUTE_MS,
  })
}

/** The hours of one day. */
export function coverageHoursQuery(choice: CoverageChoice, day: string) {
  return queryOptions({
    queryKey: ['coverage', 'hours', choice, day],
    queryFn: async ({ signal }) => {
      const range = { from: startOf(day), to: endOf(day) }
      return (await publicClient.history.coverage({ by: 'hour', ...range, ...choice }, { signal })).parts
    },
    staleTime: MINUTE_MS,
  })
}

/** One day, with the markets that have the worst coverage. */
export function coverageDayQuery(choice: CoverageChoice, day: string) {
  return queryOptions({
    queryKey: ['coverage', 'day', choice, day],
    queryFn: ({ signal }) =>
      publicClient.history.coverage({ by: 'day', from: startOf(day), to: endOf(day), ...choice }, { signal }),
    staleTime: MINUTE_MS,
  })
}

export function marketDaysQuery(marketId: string) {
  return queryOptions({
    queryKey: ['market-coverage', marketId, 'days'],
    queryFn: ({ signal }) => accountClient.history.marketCoverage(marketId, { by: 'day' }, { signal }),
    staleTime: MINUTE_MS,
  })
}

export function marketHoursQuery(marketId: string, day: string) {
  return queryOptions({
    queryKey: ['market-coverage', marketId, 'hours', day],
    queryFn: async ({ signal }) => {
      const range = { from: startOf(day), to: endOf(day) }
      return (await accountClient.history.marketCoverage(marketId, { by: 'hour', ...range }, { signal })).parts
    },
    staleTime: MINUTE_MS,
  })
}

export function hourGapsQuery(marketId: string, range: { readonly from: string; readonly to: string }) {
  return queryOptions({
    queryKey: ['market-coverage', marketId, 'gaps', range.from],
    queryFn: ({ signal }) => accountClient.history.gaps(marketId, { ...range, limit: MAX_GAPS }, { signal }),
    staleTime: MINUTE_MS,
  })
}

function startOf(day: string): string {
  return `${day}T00:00:00.000Z`
}

/** The start of the next day, which a range does not include. */
function endOf(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString()
}

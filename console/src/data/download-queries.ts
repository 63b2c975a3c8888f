import type { CreditEntry, EstimateQuery } from '@bookreel/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { accountClient } from './clients.ts'

const DAY_MS = 86_400_000
const FRESH_MS = 30_000

/** Start of the keys of all estimates. */
export const ESTIMATES = ['estimate'] as const

/** Rows, price and completeness of a download; free of charge. The former figures stay until the new ones come. */
export function estimateQuery(request: EstimateQuery) {
  return queryOptions({
    queryKey: [...ESTIMATES, request],
    queryFn: ({ signal }) => accountClient.history.estimate(request, { signal }),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  })
}

/** What was charged in the last 24 hours, newest first. */
export const lastChargesQuery = queryOptions({
  queryKey: ['last-charges'],
  queryFn: async ({ signal }) => {
    const sinceMs = Date.now() - DAY_MS
    const entries: CreditEntry[] = []
    for await (const entry of accountClient.account.allCredits({}, { signal })) {
      if (Date.parse(entry.at) < sinceMs) break
      entries.push(entry)
    }
    return entries
  },
})

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: ({ signal }) => accountClient.account.limits({ signal }),
})

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { accountClient } from './clients.ts'

/** Credits that each key has spent in the calendar month of its limit, by its id; again with each list of keys. */
export function monthCreditsQuery(nowMs: number, listedAtMs: number) {
  const from = `${new Date(nowMs).toISOString().slice(0, 7)}-01`
  return queryOptions({
    queryKey: ['month-credits', from, listedAtMs],
    queryFn: async ({ signal }) => {
      const { usage } = await accountClient.account.usage({ from, group_by: 'key' }, { signal })
      return new Map(usage.flatMap(({ keyId, credits }) => (keyId === null ? [] : [[keyId, credits] as const])))
    },
    placeholderData: keepPreviousData,
  })
}

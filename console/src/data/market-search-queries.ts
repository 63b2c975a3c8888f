import { queryOptions } from '@tanstack/react-query'
import { accountClient } from './clients.ts'

const SHOWN = 8
/** Present markets come first, and most searches are for one of them. */
const SHOWN_ENDED = 4

/** A market that words have found. */
export interface FoundMarket {
  readonly id: string
  readonly slug: string
  readonly venue: string
  readonly question: string
  readonly status: string
}

/** Markets of every venue without a result, the best match first. */
export function marketSearchQuery(text: string) {
  return queryOptions({
    queryKey: ['market-search', text],
    queryFn: async ({ signal }): Promise<FoundMarket[]> => {
      const found = await accountClient.markets.search({ q: text, venue: 'all', limit: SHOWN }, { signal })
      return found.map(({ market_id: id, slug, venue, question, status }) => ({ id, slug, venue, question, status }))
    },
  })
}

/** Recorded markets of every venue that have ended, the newest first. */
export function endedMarketsQuery(text: string) {
  return queryOptions({
    queryKey: ['ended-markets', text],
    queryFn: async ({ signal }): Promise<FoundMarket[]> => {
      const query = { q: text, venue: 'all', status: 'closed', limit: SHOWN_ENDED } as const
      const { markets } = await accountClient.markets.history(query, { signal })
      return markets.map(({ market_id: id, slug, venue, question }) => ({ id, slug, venue, question, status: 'ended' }))
    },
  })
}

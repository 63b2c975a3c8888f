import type { ListQuotesReply, LiveMarket, MarketHistory, Quote, SearchMarketsReply } from '@bookreel/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { accountClient } from './clients.ts'
import { nextRequestMs } from './next-request.ts'
import { type SessionAnswer, sessionAnswer } from './session-request.ts'

export const LIVE_PATH = '/app/api/v1/markets/live'
export const SEARCH_PATH = '/app/api/v1/markets/search'
export const HISTORY_PATH = '/app/api/v1/markets/history'
const LIST_MS = 15_000
const HISTORY_MS = 30_000
const QUOTES_MS = 2_000
const CATEGORIES_MS = 60_000

/** A market that is open, or ended and without a result. */
export type PresentMarket = Pick<
  LiveMarket,
  'conditionId' | 'slug' | 'venue' | 'question' | 'category' | 'timeframe' | 'status' | 'startDate' | 'endDate'
>

interface PresentMarkets {
  readonly markets: readonly PresentMarket[]
  readonly total: number
  readonly emptyReason: string | undefined
}

/** The counts are in headers, which the SDK does not return. */
export function liveMarketsQuery(parameters: URLSearchParams) {
  return queryOptions({
    queryKey: ['live-markets', String(parameters)],
    queryFn: async (): Promise<PresentMarkets> => {
      const { body, headers } = parameters.has('q')
        ? await searchedMarkets(parameters)
        : await sessionAnswer<LiveMarket[]>(`${LIVE_PATH}?${parameters}`)
      const emptyReason = headers.get('x-empty-reason') ?? undefined
      return { markets: body, total: Number(headers.get('x-total-count') ?? body.length), emptyReason }
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => nextRequestMs(state.error, LIST_MS),
  })
}

async function searchedMarkets(parameters: URLSearchParams): Promise<SessionAnswer<PresentMarket[]>> {
  const { body, headers } = await sessionAnswer<SearchMarketsReply>(`${SEARCH_PATH}?${parameters}`)
  const markets = body.map(({ market_id: conditionId, end_date: endDate, ...market }) => ({
    ...market,
    conditionId,
    endDate,
    startDate: null,
  }))
  return { body: markets, headers }
}

export function recordedMarketsQuery(parameters: URLSearchParams) {
  return queryOptions({
    queryKey: ['recorded-markets', String(parameters)],
    queryFn: async () => (await sessionAnswer<MarketHistory>(`${HISTORY_PATH}?${parameters}`)).body,
    placeholderData: keepPreviousData,
    staleTime: HISTORY_MS,
  })
}

export const categoriesQuery = queryOptions({
  queryKey: ['categories'],
  queryFn: ({ signal }) => accountClient.markets.categories({ venue: 'all', signal }),
  refetchInterval: ({ state }) => nextRequestMs(state.error, CATEGORIES_MS),
})

type WithoutQuote = ListQuotesReply['without_quote'][number]

/** By market: its best prices, or why it has none. */
export type Quotes = Readonly<Record<string, Quote | WithoutQuote>>

/**
 * Best prices of markets. Each time `visible` tells which of them are on the screen; the others keep what they had,
 * so that a long page costs no more than a short one.
 */
export function quotesQuery(markets: readonly string[], visible: () => readonly string[]) {
  const queryKey = ['quotes', ...markets]
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<Quotes> => {
      const before = client.getQueryData<Quotes>(queryKey) ?? {}
      const ids = visible()
      if (ids.length === 0) return before
      const { quotes, without_quote: without } = await accountClient.markets.quotes({ ids: ids.join(',') }, { signal })
      return { ...before, ...Object.fromEntries([...quotes, ...without].map((each) => [each.market_id, each])) }
    },
    refetchInterval: ({ state }) => nextRequestMs(state.error, QUOTES_MS),
    enabled: markets.length > 0,
  })
}

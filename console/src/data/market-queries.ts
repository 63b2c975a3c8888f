import type { SingleMarket } from '@bookreel/sdk'
import { queryOptions } from '@tanstack/react-query'
import { accountClient } from './clients.ts'
import { nextRequestMs } from './next-request.ts'

export type MarketDetail = SingleMarket

const MARKET_MS = 30_000
const QUOTE_MS = 5_000
const PROOF_MS = 15_000

/** A market by its slug, its id, or the name of a series such as `btc-updown-5m`, which is its current window. */
export function marketQuery(name: string) {
  return queryOptions({
    queryKey: ['market', name],
    queryFn: ({ signal }) => accountClient.markets.get(name, { signal }),
    // The state and the winner of a market change without the page being told.
    refetchInterval: ({ state: { data, error } }) =>
      nextRequestMs(error, data?.resolved_outcome === undefined && MARKET_MS),
  })
}

/** The best prices of one market, for pages without a stream. */
export function marketQuoteQuery(id: string) {
  return queryOptions({
    queryKey: ['market-quote', id],
    queryFn: ({ signal }) => accountClient.markets.quotes({ ids: id }, { signal }),
    refetchInterval: ({ state: { error } }) => nextRequestMs(error, QUOTE_MS),
  })
}

/** Proof and flags of the present books, without their levels. */
export function marketProofQuery(id: string) {
  return queryOptions({
    queryKey: ['market-proof', id],
    queryFn: ({ signal }) => accountClient.markets.orderbook(id, { includebook: false }, { signal }),
    refetchInterval: PROOF_MS,
  })
}

export interface Series {
  readonly coin: string
  readonly timeframe: string
}

/** The series that a market is a window of; undefined for other markets. */
export function seriesOf({ crypto = '', timeframe, slug }: MarketDetail): Series | undefined {
  const isWindow = crypto !== '' && slug.startsWith(`${seriesSlug(crypto, timeframe)}-`)
  return isWindow ? { coin: crypto.toUpperCase(), timeframe } : undefined
}

/** The slug that means the current window of a series. */
export function seriesSlug(coin: string, timeframe: string): string {
  return `${coin.toLowerCase()}-updown-${timeframe}`
}

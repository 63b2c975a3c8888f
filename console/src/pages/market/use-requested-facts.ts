import { useQuery } from '@tanstack/react-query'
import { type MarketDetail, marketProofQuery, marketQuoteQuery } from '../../data/market-queries.ts'
import { flagsOf } from '../../data/stream/poll-book.ts'
import { NO_BOOK, proofBadge } from '../../words/proof-badges.ts'
import type { MarketFacts } from './market-facts.ts'

const NONE: MarketFacts = { upMid: undefined, downMid: undefined, badge: undefined }

/** Prices and badge of a market for tabs without a stream. */
export function useRequestedFacts({ market_id: id, status }: MarketDetail, isAsked: boolean): MarketFacts {
  const quotes = useQuery({ ...marketQuoteQuery(id), enabled: isAsked })
  const quote = quotes.data?.quotes[0]
  // A market without a quote has no book, which would be an error.
  const { data: book } = useQuery({ ...marketProofQuery(id), enabled: isAsked && quote !== undefined })
  if (quote === undefined) return quotes.data !== undefined && status === 'live' ? { ...NONE, badge: NO_BOOK } : NONE
  const flags = book && [...flagsOf(book.up, 'up'), ...flagsOf(book.down, 'down')]
  return {
    upMid: middle(quote.up_bid, quote.up_ask),
    downMid: middle(quote.down_bid, quote.down_ask),
    badge: book && flags && proofBadge({ proof: book.up.proof, flags, ageMs: quote.age_ms, gapCause: undefined }),
  }
}

function middle(bid: number | null, ask: number | null): number | undefined {
  return bid === null || ask === null ? undefined : (bid + ask) / 2
}

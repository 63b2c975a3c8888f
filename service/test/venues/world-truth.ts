import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { type Ladders, mirrorOf } from '../../src/domain/book.ts'
import type { Classification, Market } from '../../src/domain/market.ts'

/** The true books of a simulated market, in our units, best price first. */
export function truthOf({ book }: WorldMarket): { up: Ladders; down: Ladders } {
  const inUnits = ({ price, size }: { price: number; size: number }) => ({ price, size: size * 10_000 })
  const up = { bids: book.bids.map(inUnits).toReversed(), asks: book.asks.map(inUnits) }
  return { up, down: mirrorOf(up) }
}

/** The market as discovery would list it. */
export function marketFacts(market: WorldMarket): Market {
  return {
    id: market.conditionId,
    venue: 'polymarket',
    tokenIds: market.tokenIds,
    outcomeNames: market.draft.outcomes,
    slug: market.draft.slug,
    question: market.draft.question,
    label: '',
    eventSlug: market.event.slug,
    eventTitle: market.event.title,
    venueKey: market.conditionId,
    priceGrid: [],
    facts: { negRisk: market.event.negRisk, minOrderSize: '5', version: market.version },
    endsAtMs: market.event.endMs,
    planId: 'test',
    captureIntervalMs: 250,
    ...(market.event.startMs !== undefined && { startsAtMs: market.event.startMs }),
    ...kindOf(market),
  }
}

function kindOf({ draft: { window } }: WorldMarket): Classification {
  if (window === undefined) return { category: 'sports', subcategory: 'NBA', timeframe: 'game' }
  return { category: 'crypto', subcategory: window.coin.symbol, timeframe: window.length }
}

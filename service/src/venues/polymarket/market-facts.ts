import type { Market } from '../../domain/market.ts'

/** What the venue's hashes contain besides the book. */
export interface PolymarketFacts {
  readonly negRisk: boolean
  readonly minOrderSize: string
  /** The version of the venue's contracts. */
  readonly version: 'v1' | 'v2'
}

export function factsOfMarket({ facts }: Market): PolymarketFacts {
  const { negRisk, minOrderSize, version } = facts
  return { negRisk: negRisk === true, minOrderSize: String(minOrderSize), version: version === 'v2' ? 'v2' : 'v1' }
}

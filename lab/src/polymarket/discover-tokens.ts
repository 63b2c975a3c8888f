import type { TokenFacts } from './token-watch.ts'

export interface FoundMarket {
  conditionId: string
  tokenIds: readonly [string, string]
  facts: TokenFacts
}

interface GammaMarket {
  conditionId: string
  clobTokenIds: string | null
  positionIds?: [string, string]
  orderMinSize: number
  negRisk: boolean
  version: 'v1' | 'v2'
}

/** All open markets of a Gamma address, page by page. */
export async function discoverMarkets(gamma: string): Promise<FoundMarket[]> {
  const found: FoundMarket[] = []
  let cursor: string | undefined
  do {
    const after = cursor === undefined ? '' : `&after_cursor=${encodeURIComponent(cursor)}`
    const answer = await fetch(`${gamma}/markets/keyset?limit=100&closed=false${after}`)
    const page = (await answer.json()) as { markets: GammaMarket[]; next_cursor?: string }
    found.push(...page.markets.map(foundMarket))
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return found
}

function foundMarket(market: GammaMarket): FoundMarket {
  const { conditionId, orderMinSize, negRisk, version } = market
  const tokenIds = version === 'v2' ? market.positionIds : JSON.parse(market.clobTokenIds ?? '[]')
  return {
    conditionId,
    tokenIds,
    facts: { market: conditionId, minOrderSize: String(orderMinSize), negRisk, version },
  }
}

/** What a book has to say about itself, besides its levels, when the venue hashes it. */
export interface HashedFacts {
  marketId: string
  tokenId: string
  minOrderSize: string
  negRisk: boolean
}

/** One form of the JSON text that the venue hashes; the last-trade text stands between `head` and `tail`. */
export interface HashRule {
  name: string
  head(facts: HashedFacts, eventAtMs: number, bids: string, asks: string, tickSize: string): string
  tail: string
}

/**
 * Every rule that is in use at the venue, newest first. The venue has added keys five times without a notice. When it
 * does so again, recording goes on with unverified rows: add the new rule here.
 */
export const HASH_RULES: readonly HashRule[] = [
  { name: 'with version', head, tail: '","version":"v2"}' },
  { name: 'with last trade', head, tail: '"}' },
]

function head(facts: HashedFacts, eventAtMs: number, bids: string, asks: string, tickSize: string): string {
  const { marketId, tokenId, minOrderSize, negRisk } = facts
  return `{"market":"${marketId}","asset_id":"${tokenId}","timestamp":"${eventAtMs}","hash":"","bids":[${bids}],"asks":[${asks}],"min_order_size":"${minOrderSize}","tick_size":"${tickSize}","neg_risk":${negRisk},"last_trade_price":"`
}

/** The rule that a market is expected to follow; the others are tried when it never fits. */
export function expectedRule(version: 'v1' | 'v2' | undefined): HashRule {
  const name = version === 'v2' ? 'with version' : 'with last trade'
  const rule = HASH_RULES.find((each) => each.name === name)
  if (rule === undefined) throw new Error(`no hash rule is called ${name}`)
  return rule
}

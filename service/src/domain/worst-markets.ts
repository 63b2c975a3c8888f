/** How complete a market was in one day. */
export interface WorstMarket {
  readonly marketId: string
  readonly expected: number
  readonly stored: number
  readonly suspect: number
}

export const MOST_WORST_MARKETS = 10

/** Those with the largest share of slots missing or in doubt; complete markets are never among them. */
export function worstMarkets(markets: readonly WorstMarket[]): WorstMarket[] {
  return markets
    .filter((market) => badSlots(market) > 0)
    .toSorted(
      (one, other) =>
        badSlots(other) / other.expected - badSlots(one) / one.expected ||
        badSlots(other) - badSlots(one) ||
        (one.marketId < other.marketId ? -1 : 1),
    )
    .slice(0, MOST_WORST_MARKETS)
}

function badSlots({ expected, stored, suspect }: WorstMarket): number {
  return expected - stored + suspect
}

import { expect, test } from 'vitest'
import { MOST_WORST_MARKETS, type WorstMarket, worstMarkets } from './worst-markets.ts'

const market = (marketId: string, stored: number, suspect = 0, expected = 100): WorstMarket => ({
  marketId,
  expected,
  stored,
  suspect,
})

test('the largest share of missing and doubtful slots is first, and complete markets are left out', () => {
  const found = worstMarkets([
    market('complete', 100),
    market('long', 500, 0, 1_000),
    market('doubtful', 100, 60),
    market('short', 50),
    market('other', 50),
  ])
  expect(found.map(({ marketId }) => marketId)).toEqual(['doubtful', 'long', 'other', 'short'])
})

test('there are at most ten', () => {
  const many = Array.from({ length: 30 }, (_, index) => market(String(index), index))
  expect(worstMarkets(many)).toEqual(many.slice(0, MOST_WORST_MARKETS))
})

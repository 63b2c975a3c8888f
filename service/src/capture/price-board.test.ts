import { expect, test } from 'vitest'
import { PriceBoard } from './price-board.ts'

const NOW_MS = Date.parse('2027-01-31T05:00:00Z')
const BTC = { source: 'chainlink', coin: 'BTC' } as const

test('a price with a time far ahead is not taken, and later prices are', () => {
  const board = new PriceBoard(() => NOW_MS + 1_000)
  expect(board.take({ ...BTC, price: 1n, priceAtMs: NOW_MS * 1_000 }, NOW_MS)).toBe(false)
  expect(board.fresh(BTC)).toBeUndefined()
  expect(board.take({ ...BTC, price: 2n, priceAtMs: NOW_MS + 500 }, NOW_MS)).toBe(true)
  expect(board.fresh(BTC)).toMatchObject({ price: 2n })
})

import { expect, test } from 'vitest'
import { BINARY_VENUES, DEFAULT_VENUE, proofOf } from './venue-registry.ts'

test('Polymarket offers a hash, Kalshi a sequence; Hyperliquid and a venue that is not known offer nothing', () => {
  const venues = ['polymarket', 'kalshi', 'hyperliquid', '', 'constructor']
  expect(venues.map(proofOf)).toEqual(['hash', 'sequence', 'none', 'none', 'none'])
})

test('the first venue with prediction markets is the default', () => {
  expect(BINARY_VENUES.map(({ id }) => id)).toEqual(['polymarket', 'kalshi'])
  expect(DEFAULT_VENUE).toBe('polymarket')
})

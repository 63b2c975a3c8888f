import { expect, test } from 'vitest'
import { addressName } from './market-address.ts'

test('a market is named by its slug where that is found, otherwise by its id', () => {
  expect(addressName({ id: '0x1', slug: 'btc', venue: 'polymarket' })).toBe('btc')
  expect(addressName({ id: '0x1', slug: 'KXBTC', venue: 'kalshi' })).toBe('0x1')
  expect(addressName({ id: '0x1', slug: '', venue: 'polymarket' })).toBe('0x1')
})

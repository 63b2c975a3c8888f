import { expect, test } from 'vitest'
import { groupOf, shardOf, shardsOf } from './shards.ts'

const ids = Array.from({ length: 8_000 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`)

test('markets spread evenly over the shards of their venue', () => {
  const counts = Map.groupBy(ids, (id) => shardOf('kalshi', id, 8))
  expect([...counts.keys()].toSorted()).toEqual(shardsOf('kalshi', 8))
  for (const markets of counts.values()) expect(Math.abs(markets.length - 1_000)).toBeLessThan(120)
})

test('a market has one shard for ever: these were fixed when the first row was written', () => {
  const numbers = ids.slice(0, 6).map((id) => shardOf('polymarket', id, 8))
  expect(numbers).toEqual([5, 2, 7, 4, 1, 6].map((number) => `polymarket.${number}`))
})

test('a shard names its group', () => {
  expect(groupOf('hyperliquid.0')).toBe('hyperliquid')
})

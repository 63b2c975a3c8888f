import { expect, test } from 'vitest'
import { shardOf } from './shards.ts'

const ids = Array.from({ length: 8_000 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`)

test('markets spread evenly over shards', () => {
  const counts = Array.from({ length: 8 }, () => 0)
  for (const id of ids) counts[shardOf(id, 8)] = (counts[shardOf(id, 8)] ?? 0) + 1
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(120)
})

test('a market has one shard for ever: these were fixed when the first row was written', () => {
  expect(ids.slice(0, 6).map((id) => shardOf(id, 8))).toEqual([5, 2, 7, 4, 1, 6])
})

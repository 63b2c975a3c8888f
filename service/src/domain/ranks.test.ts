import { expect, test } from 'vitest'
import { rankRecorders } from './ranks.ts'
import { shardsOf } from './shards.ts'

const SHARDS = shardsOf('polymarket', 64)
const named = (count: number, capacity = 1) =>
  Array.from({ length: count }, (_, number) => ({ name: `recorder-${number}`, capacity }))

function firstCounts(ranks: ReadonlyMap<string, readonly string[]>, round = 0): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const ranked of ranks.values()) counts[ranked[round] ?? 'nobody'] = (counts[ranked[round] ?? 'nobody'] ?? 0) + 1
  return counts
}

test.each([1, 2, 3, 4, 8])(
  '%i equal recorders record equal shares of eight shards, and stand by for equal shares',
  (count) => {
    const ranks = rankRecorders(shardsOf('polymarket', 8), named(count), 1)
    const most = Math.ceil(8 / count)
    expect(Math.max(...Object.values(firstCounts(ranks)))).toBeLessThanOrEqual(most)
    expect(firstCounts(ranks)).not.toHaveProperty('nobody')
    if (count === 1) return
    expect(firstCounts(ranks, 1)).not.toHaveProperty('nobody')
    for (const ranked of ranks.values()) expect(new Set(ranked).size).toBe(2)
  },
)

test('a recorder with twice the capacity records twice as many shards', () => {
  const ranks = rankRecorders(SHARDS, [{ name: 'large', capacity: 2 }, ...named(2)], 0)
  expect(firstCounts(ranks)).toEqual({ large: 32, 'recorder-0': 16, 'recorder-1': 16 })
})

test('the order in which recorders are known makes no difference', () => {
  const recorders = named(5)
  expect(rankRecorders(SHARDS, recorders.toReversed(), 1)).toEqual(rankRecorders(SHARDS, recorders, 1))
})

test('a recorder that joins takes its share, and few other shards move', () => {
  const before = rankRecorders(SHARDS, named(4), 0)
  const after = rankRecorders(SHARDS, named(5), 0)
  const moved = SHARDS.filter((shard) => before.get(shard)?.[0] !== after.get(shard)?.[0])
  const toOthers = moved.filter((shard) => after.get(shard)?.[0] !== 'recorder-4')
  expect(firstCounts(after)['recorder-4']).toBeGreaterThanOrEqual(11)
  expect(toOthers.length).toBeLessThanOrEqual(10)
})

test('without recorders nobody has a rank; with one there is no standby', () => {
  expect(rankRecorders(['prices.0'], [], 1)).toEqual(new Map([['prices.0', []]]))
  expect(rankRecorders(['prices.0'], named(1), 1)).toEqual(new Map([['prices.0', ['recorder-0']]]))
})

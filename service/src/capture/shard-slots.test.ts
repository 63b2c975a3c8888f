import { expect, test } from 'vitest'
import { type ShardProgress, shardSlots } from './shard-slots.ts'

const LEGACY = new Map([
  ['quick', 1_000],
  ['slow', 1_000],
  ['lost', 500],
])

function account(changes: Partial<ShardProgress> = {}, said: Record<string, number> = { quick: 5_000 }) {
  return shardSlots({
    accountedTickMs: 6_000,
    ours: ['quick', 'slow', 'new'],
    legacy: LEGACY,
    saidAtMs: (id) => said[id],
    isLate: false,
    ...changes,
  })
}

test('a market that is followed again stays with its earlier account until something is said of it', () => {
  expect(account()).toEqual({ marketIds: ['quick', 'new'], waiting: { slow: 1_000, lost: 500 } })
  expect(account({}, { quick: 5_000, slow: 6_000 })).toEqual({
    marketIds: ['quick', 'slow', 'new'],
    waiting: { lost: 500 },
  })
})

test('what is said but not yet on the bus is not said', () => {
  expect(account({ accountedTickMs: 4_750 }).waiting).toEqual({ quick: 1_000, slow: 1_000, lost: 500 })
})

test('who was not found for long is given up, who was found is not', () => {
  expect(account({ isLate: true })).toEqual({ marketIds: ['quick', 'new'], waiting: { slow: 1_000 } })
})

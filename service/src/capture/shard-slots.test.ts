import { expect, test } from 'vitest'
import { type ShardProgress, shardSlots } from './shard-slots.ts'

const INHERITED = new Map([
  ['quick', 1_000],
  ['slow', 1_000],
  ['lost', 500],
])

function slotsWith(changes: Partial<ShardProgress> = {}, firstTicks: Record<string, number> = { quick: 5_000 }) {
  return shardSlots({
    accountedTickMs: 6_000,
    followed: ['quick', 'slow', 'new'],
    inherited: INHERITED,
    firstTickMs: (id) => firstTicks[id],
    isDiscoveryComplete: false,
    ...changes,
  })
}

test('an inherited market keeps its earlier last tick until its first row or gap record is published', () => {
  expect(slotsWith()).toEqual({ marketIds: ['quick', 'new'], waiting: { slow: 1_000, lost: 500 } })
  expect(slotsWith({}, { quick: 5_000, slow: 6_000 })).toEqual({
    marketIds: ['quick', 'slow', 'new'],
    waiting: { lost: 500 },
  })
})

test('a row that is not yet on the bus does not count as published', () => {
  expect(slotsWith({ accountedTickMs: 4_750 }).waiting).toEqual({ quick: 1_000, slow: 1_000, lost: 500 })
})

test('after discovery is complete, only inherited markets that are followed are kept', () => {
  expect(slotsWith({ isDiscoveryComplete: true })).toEqual({ marketIds: ['quick', 'new'], waiting: { slow: 1_000 } })
})

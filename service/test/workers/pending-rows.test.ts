import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type HotBatch, runHot } from '../../src/workers/hot.ts'
import { PendingRows } from '../../src/workers/pending-rows.ts'
import { PushedItems } from './pushed-items.ts'

const bytes = new Uint8Array(1)

test('the newest rows of every key are held', () => {
  const row = fc.record({ key: fc.constantFrom('a', 'b', 'c'), slot: fc.integer({ min: 0, max: 12 }) })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), (rows) => {
      const pending = new PendingRows<{ slot: number; bytes: Uint8Array }>(5, 100)
      for (const { key, slot } of rows) pending.add(key, { slot, bytes })
      const held = Map.groupBy(pending.takeAll(), ([key]) => key)
      for (const key of ['a', 'b', 'c']) {
        const slots = new Set(rows.filter((each) => each.key === key).map(({ slot }) => slot))
        const newest = [...slots].sort((one, other) => one - other).slice(-5)
        expect((held.get(key) ?? []).map(([, { slot }]) => slot)).toEqual(newest)
      }
      expect(pending.isEmpty).toBe(true)
    }),
  )
})

test('every row of rising slots is either held or counted as dropped', () => {
  const pending = new PendingRows<{ slot: number; bytes: Uint8Array }>(5, 100)
  let dropped = 0
  for (let slot = 0; slot < 100; slot++) for (const key of ['a', 'b']) dropped += pending.add(key, { slot, bytes })
  expect(dropped + pending.takeAll().length).toBe(200)
})

test('with too many keys, the one without a new row for longest is dropped', () => {
  const pending = new PendingRows<{ slot: number; bytes: Uint8Array }>(5, 2)
  for (const [slot, key] of ['a', 'b', 'a'].entries()) pending.add(key, { slot, bytes })
  expect(pending.add('c', { slot: 1, bytes })).toBe(1)
  expect(new Set(pending.takeAll().map(([key]) => key))).toEqual(new Set(['a', 'c']))
})

test('rows that the store refuses are put again, as they were when they came', async () => {
  const message = Buffer.from([1, 2])
  const stored: [number, ...number[]][] = []
  let failures = 0
  const batches = new PushedItems<HotBatch>()
  const stopping = new AbortController()
  const newestRows = {
    put: async (rows: readonly { slot: number; bytes: Uint8Array }[]) => {
      if (failures === 0) throw new Error('no answer')
      for (const { slot, bytes } of rows) stored.push([slot, ...bytes])
    },
    putPerps: async () => {},
  }
  const meter = {
    stored: () => {},
    dropped: () => {},
    failed: () => {
      failures++
      message.fill(0)
    },
  }
  const running = runHot({ batches, newestRows, meter, retryAfterMs: 1 }, stopping.signal)
  onTestFinished(() => {
    stopping.abort()
    return running
  })
  const rows = [...message.keys()].map((at) => ({
    marketId: 'a',
    slot: at,
    schema: 1,
    bytes: message.subarray(at, at + 1),
  }))
  batches.push({ snapshots: rows, perps: [] })
  await expect
    .poll(() => stored)
    .toEqual([
      [0, 1],
      [1, 2],
    ])
})

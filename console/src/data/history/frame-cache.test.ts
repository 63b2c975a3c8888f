import { expect, test } from 'vitest'
import { FrameCache } from './frame-cache.ts'
import { PackedBook } from './packed-book.ts'

const MB = 1_000_000

function bookOf(seed: number, levels = 2): PackedBook {
  const side = (first: number) =>
    Array.from({ length: levels }, (_, index) => [(first + index) / 1_000, seed + index / 100] as const)
  const sides = { bids: side(400), asks: side(600) }
  return new PackedBook({ up: sides, down: { bids: side(300), asks: [] }, capturedAt: seed, flags: ['verified'] })
}

test('a packed book is the book, with every digit', () => {
  const bids = [
    [0.9999, 1_234_567.890123],
    [0.001, 0.000001],
  ] as const
  const packed = new PackedBook({ up: { bids, asks: [] }, down: { bids: [], asks: bids }, capturedAt: 7, flags: [] })
  expect(packed.side('up')).toEqual({ bids, asks: [] })
  expect(packed.side('down')).toEqual({ bids: [], asks: bids })
})

test('slots are known with a book or without a row', () => {
  const cache = new FrameCache(MB)
  cache.put(10, bookOf(10))
  cache.putMissing(11, 13)
  cache.put(14, bookOf(14))
  expect([cache.get(10)?.capturedAt, cache.get(12), cache.get(15)]).toEqual([10, null, undefined])
  expect([cache.isMissing(12), cache.isMissing(10), cache.isMissing(15)]).toEqual([true, false, false])
  expect([9, 10, 12].map((slot) => cache.firstUnknown(slot))).toEqual([9, 15, 15])
  cache.putMissing(10, 10)
  expect(cache.get(10)?.capturedAt).toBe(10)
})

test('a book that comes twice counts once', () => {
  const cache = new FrameCache(MB)
  cache.put(1, bookOf(1))
  const { bytes } = cache
  cache.put(1, bookOf(2))
  expect(cache.bytes).toBe(bytes)
})

test('64 MB have an hour of books of a hundred levels, and the ranges that were used last stay', () => {
  const cache = new FrameCache(64 * MB)
  const book = bookOf(1, 100)
  const hour = 14_400
  for (let slot = 0; slot < hour; slot++) cache.put(slot, book)
  expect(cache.has(0)).toBe(true)
  expect(cache.bytes).toBeLessThanOrEqual(64 * MB)
  cache.get(0)
  for (let slot = hour; slot < 2 * hour; slot++) {
    cache.put(slot, book)
    if (slot % 1_000 === 0) cache.get(0)
  }
  expect(cache.bytes).toBeLessThanOrEqual(64 * MB)
  expect([cache.has(0), cache.has(5_000), cache.has(2 * hour - 1)]).toEqual([true, false, true])
})

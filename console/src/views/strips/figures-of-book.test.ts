import { expect, test } from 'vitest'
import { hopsOf, imbalanceOf, spreadOf } from './figures-of-book.ts'

test('the imbalance is of the five best levels', () => {
  const bids = [9, 8, 7, 6, 5, 4].map((cents) => [cents / 100, 1] as const)
  expect(imbalanceOf({ bids, asks: [[0.1, 5]] })).toBe(0)
  expect(imbalanceOf({ bids, asks: [] })).toBe(1)
  expect(imbalanceOf({ bids: [], asks: [] })).toBeUndefined()
})

test('a book with an empty side has no spread', () => {
  expect(spreadOf({ bids: [[0.5, 1]], asks: [[0.52, 1]] })).toBeCloseTo(0.02)
  expect(spreadOf({ bids: [[0.5, 1]], asks: [] })).toBeUndefined()
})

test('the hops of a book add up to its age', () => {
  const hops = hopsOf({ eventAt: 100, receivedAt: 130, capturedAt: 200, sentAt: 215 }, 260)
  expect(hops).toEqual({ toRecorder: 30, toSlot: 70, toStream: 15, toPage: 45 })
})

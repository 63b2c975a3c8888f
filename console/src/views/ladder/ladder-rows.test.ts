import { expect, test } from 'vitest'
import { ladderRows, leavesRows, middleStep, stepOf } from './ladder-rows.ts'

const book = {
  bids: [
    [0.54, 10],
    [0.53, 5],
    [0.51, 1],
  ],
  asks: [
    [0.56, 3],
    [0.57, 4],
  ],
} as const

test('rows have the size of their price, and all sizes up to it', () => {
  const rows = ladderRows(book, 0.01)
  expect([57, 56, 55, 54, 53, 52, 51].map((step) => rows.get(step))).toEqual([
    { side: 'ask', size: 4, total: 7 },
    { side: 'ask', size: 3, total: 3 },
    undefined,
    { side: 'bid', size: 10, total: 10 },
    { side: 'bid', size: 5, total: 15 },
    undefined,
    { side: 'bid', size: 1, total: 16 },
  ])
})

test('grouped prices never look better than they are', () => {
  const rows = ladderRows(book, 0.05)
  expect(rows.get(12)).toEqual({ side: 'ask', size: 7, total: 7 })
  expect(rows.get(10)).toEqual({ side: 'bid', size: 16, total: 16 })
  expect(rows.get(11)).toBeUndefined()
})

test('a price at a step belongs to this step, whatever its digits', () => {
  for (let cents = 1; cents < 100; cents++)
    expect([stepOf(cents / 100, 0.01, 'bid'), stepOf(cents / 100, 0.01, 'ask')]).toEqual([cents, cents])
})

test('a ladder knows its middle, and when a best price has left it', () => {
  expect(middleStep(book, 0.01)).toBe(55)
  expect(middleStep({ bids: [], asks: [] }, 0.01)).toBeUndefined()
  expect(leavesRows(book, 0.01, { top: 60, count: 10 })).toBe(false)
  expect(leavesRows(book, 0.01, { top: 55, count: 10 })).toBe(true)
  expect(leavesRows(book, 0.01, { top: 64, count: 10 })).toBe(true)
})

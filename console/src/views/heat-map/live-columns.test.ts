import { expect, test } from 'vitest'
import { LiveColumns, type LiveColumnsForm } from './live-columns.ts'
import { codeOfSize } from './size-code.ts'

const scale = { unit: 0.01, stepsPerOctave: 7 }
const form: LiveColumnsForm = {
  intervalMs: 250,
  slotsPerColumn: 4,
  rows: 100,
  priceFrom: 0,
  priceStep: 0.01,
  scale,
  emptyBid: 0,
  emptyAsk: 1,
}

test('over the slots of a column the largest size counts, and within a slot the sizes of a price step are added', () => {
  const columns = new LiveColumns(form)
  columns.book(400, { bids: [[0.54, 10]], asks: [[0.56, 3]] })
  const last = columns.book(401, {
    bids: [
      [0.549, 4],
      [0.541, 3],
      [0.53, 1],
    ],
    asks: [],
  })
  expect(last).toMatchObject({ number: 100, stored: 2, expected: 2, suspect: 0, bestBid: 0.549, bestAsk: 1 })
  expect(last.bids[54]).toBe(codeOfSize(10, scale))
  expect(last.bids[53]).toBe(codeOfSize(1, scale))
  expect(last.asks[56]).toBe(codeOfSize(3, scale))
  const sum = columns.book(402, {
    bids: [
      [0.549, 8],
      [0.541, 7],
    ],
    asks: [],
  })
  expect(sum.bids[54]).toBe(codeOfSize(15, scale))
})

test('a price at the edge of a step belongs to the step above it, whatever its digits', () => {
  const columns = new LiveColumns(form)
  for (let row = 1; row < 100; row++) {
    const { bids } = columns.book(4 * row, { bids: [[row / 100, 1]], asks: [] })
    expect([row, bids.findIndex((code) => code > 0)]).toEqual([row, row])
  }
})

test('slots of a gap are expected and not stored; a doubt that is told twice counts once', () => {
  const columns = new LiveColumns(form)
  columns.book(400, { bids: [], asks: [] })
  const told = [...columns.gap(401, 409, 'missing')]
  expect(told.map(({ number, stored, expected }) => [number, stored, expected])).toEqual([
    [100, 1, 4],
    [101, 0, 4],
    [102, 0, 2],
  ])
  columns.book(410, { bids: [], asks: [] })
  for (const { suspect } of [...columns.gap(409, 410, 'suspect'), ...columns.gap(410, 410, 'suspect')])
    expect(suspect).toBe(2)
})

test('the column in which a page begins expects only what it can know', () => {
  const columns = new LiveColumns(form)
  expect(columns.book(403, { bids: [], asks: [] })).toMatchObject({ number: 100, stored: 1, expected: 1 })
  expect([...columns.gap(390, 402, 'missing')]).toEqual([])
})

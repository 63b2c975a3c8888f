import { expect, test } from 'vitest'
import { LadderChanges } from './ladder-changes.ts'

const bids = (...levels: (readonly [number, number])[]) => ({ bids: levels, asks: [] })

test('size that left with a trade was taken, and the rest was cancelled', () => {
  const changes = new LadderChanges()
  changes.book(bids([0.5, 100], [0.49, 20]), 0)
  changes.trade({ action: 'sell', price: 0.5, size: 30 }, 500)
  changes.book(bids([0.5, 60], [0.48, 7]), 600)
  expect(changes.bySteps(0.01, 1_000)).toEqual(
    new Map([
      [50, { added: 0, taken: 30, cancelled: 10 }],
      [48, { added: 7, taken: 0, cancelled: 0 }],
      [49, { added: 0, taken: 0, cancelled: 20 }],
    ]),
  )
})

test('changes are forgotten after ten seconds, and nothing is concluded over a gap', () => {
  const changes = new LadderChanges()
  changes.book(bids([0.5, 100]), 0)
  changes.book(bids([0.5, 90]), 1_000)
  expect(changes.bySteps(0.01, 10_500).size).toBe(1)
  expect(changes.bySteps(0.01, 11_000).size).toBe(0)
  changes.book(undefined, 11_000)
  changes.book(bids([0.5, 10]), 12_000)
  expect(changes.bySteps(0.01, 12_000).size).toBe(0)
})

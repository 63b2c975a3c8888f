import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HeatColumn } from './heat-column.ts'
import { HeatRing } from './heat-ring.ts'

const ROWS = 5
const codes = fc.uint8Array({ minLength: ROWS, maxLength: ROWS })

/** Two who know a column know the same of it when they know as many rows. */
const column: fc.Arbitrary<HeatColumn> = fc.record({
  number: fc.integer({ min: 0, max: 40 }),
  bids: codes,
  asks: codes,
  stored: fc.integer({ min: 0, max: 16 }),
  expected: fc.integer({ min: 0, max: 16 }),
  suspect: fc.integer({ min: 0, max: 16 }),
  bestBid: fc.constant(0),
  bestAsk: fc.constant(0),
})
const withPrices = column.map((each) => ({
  ...each,
  bestBid: each.stored === 0 ? Number.NaN : each.number + each.stored / 100,
  bestAsk: each.stored === 0 ? Number.NaN : each.number + each.stored / 10,
}))

function ringOf(columns: readonly HeatColumn[], length = 64): HeatRing {
  const ring = new HeatRing(length, ROWS)
  for (const each of columns) ring.join(each)
  return ring
}

test('columns in any order, and more than once, give the same ring', () => {
  fc.assert(
    fc.property(fc.array(withPrices, { maxLength: 30 }), fc.nat(), (columns, seed) => {
      const mixed = [...columns, ...columns].toSorted((one, other) => weight(one, seed) - weight(other, seed))
      expect(ringOf(mixed)).toEqual(ringOf(columns))
    }),
  )
})

function weight({ number, stored }: HeatColumn, seed: number): number {
  return ((number * 31 + stored * 17 + seed) * 2_654_435_761) % 1_000
}

test('a newer column takes the place of one that is a whole ring older, with nothing of it left', () => {
  const full = new Uint8Array(ROWS).fill(9)
  const none = new Uint8Array(ROWS)
  const facts = { stored: 4, expected: 4, suspect: 1, bestBid: 0.4, bestAsk: 0.6 }
  const ring = ringOf([{ number: 3, bids: full, asks: full, ...facts }], 8)
  expect(ring.placeOf(3)).toBe(3)
  ring.join({ number: 11, bids: none, asks: none, ...facts, stored: 0, suspect: 0, bestBid: Number.NaN })
  expect(ring.placeOf(3)).toBeUndefined()
  expect(ring.placeOf(11)).toBe(3)
  expect([...ring.bids.subarray(3 * ROWS, 4 * ROWS)]).toEqual([0, 0, 0, 0, 0])
  expect([ring.stored[3], ring.suspect[3], ring.bestBid[3]]).toEqual([0, 0, Number.NaN])
})

test('a column that is older than the ring is long changes nothing', () => {
  const codes9 = new Uint8Array(ROWS).fill(9)
  const facts = { bids: codes9, asks: codes9, stored: 4, expected: 4, suspect: 0, bestBid: 0.4, bestAsk: 0.6 }
  const ring = ringOf([{ number: 20, ...facts }], 8)
  expect(ring.join({ number: 12, ...facts })).toBeUndefined()
  expect(ring.join({ number: 13, ...facts })).toBe(5)
  expect(ring.newest).toBe(20)
})

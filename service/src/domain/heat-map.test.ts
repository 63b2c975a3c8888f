import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeCells,
  MARKET_SCALE,
  PERP_SCALE,
  codeOfSize as scaledCode,
  sizeOfCode as scaledSize,
  TILE_COLUMNS,
} from './heat-map.ts'

const codeOfSize = (each: number) => scaledCode(each, MARKET_SCALE)
const sizeOfCode = (code: number) => scaledSize(code, MARKET_SCALE)

const size = fc.double({ min: 0.01, max: 1e8, noNaN: true })

test('a larger size never has a smaller code', () => {
  fc.assert(
    fc.property(size, size, (one, other) => {
      if (one <= other) expect(codeOfSize(one)).toBeLessThanOrEqual(codeOfSize(other))
    }),
  )
})

test('a decoded size is within ten percent, and no size is none', () => {
  fc.assert(
    fc.property(size, (each) => {
      expect(Math.abs(sizeOfCode(codeOfSize(each)) / each - 1)).toBeLessThan(0.1)
    }),
  )
  expect([codeOfSize(0), sizeOfCode(0), codeOfSize(1e-9)]).toEqual([0, 0, 1])
})

test('cells are stored column by column, the largest of a cell counts, and others are left out', () => {
  const rows = 3
  const bytes = encodeCells(
    [
      { column: 0, row: 2, size: 1 },
      { column: 1, row: 0, size: 5 },
      { column: 1, row: 0, size: 2 },
      { column: TILE_COLUMNS, row: 0, size: 9 },
      { column: 0, row: 3, size: 9 },
    ],
    rows,
    MARKET_SCALE,
  )
  expect(bytes).toHaveLength(TILE_COLUMNS * rows)
  expect([...bytes.slice(0, 6)]).toEqual([0, 0, codeOfSize(1), codeOfSize(5), 0, 0])
  expect(bytes.slice(6).every((code) => code === 0)).toBe(true)
})

test('the smallest and largest sizes of perps have codes of their own', () => {
  const codes = [0.000_01, 0.000_02, 1, 100_000].map((each) => scaledCode(each, PERP_SCALE))
  expect(codes).toEqual([1, 8, expect.any(Number), expect.any(Number)])
  expect(codes.at(-1)).toBeLessThan(255)
})

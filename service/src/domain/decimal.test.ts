import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PRICE_DECIMALS, SIZE_DECIMALS, textOf, unitsIn } from './decimal.ts'

test('decimal text in is decimal text out', () => {
  const units = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
  fc.assert(
    fc.property(units, fc.constantFrom(PRICE_DECIMALS, SIZE_DECIMALS), (each, decimals) => {
      expect(unitsIn(textOf(each, decimals), decimals)).toBe(each)
    }),
  )
})

test('every way the venues write a number is understood', () => {
  expect(['0.5', '.48', '0', '1', '0.0001', '0.500', '0.50000'].map((text) => unitsIn(text, PRICE_DECIMALS))).toEqual([
    5_000, 4_800, 0, 10_000, 1, 5_000, 5_000,
  ])
  expect(['754020.03', '12.345678', '636'].map((text) => unitsIn(text, SIZE_DECIMALS))).toEqual([
    754_020_030_000, 12_345_678, 636_000_000,
  ])
})

test('what is no plain decimal, or finer than we can keep, is refused and never rounded', () => {
  for (const text of ['', '.', '-1', '1e3', 'NaN', '0.00001', '1,5', ' 1', '0x1', '99999999999999999999']) {
    expect(unitsIn(text, PRICE_DECIMALS), text).toBeUndefined()
  }
})

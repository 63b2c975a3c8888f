import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { complementOf, lastTradeTexts, toUnits } from './decimal.ts'

const price = fc.integer({ min: 0, max: 10_000 }).map((n) => {
  const digits = String(n).padStart(5, '0')
  return `${digits.slice(0, 1)}.${digits.slice(1)}`.replace(/\.?0+$/, '')
})

describe('1 − p', () => {
  test.each([
    ['0.9', '0.1'],
    ['0.58', '0.42'],
    ['0.001', '0.999'],
    ['0.0025', '0.9975'],
    ['.48', '0.52'],
    ['0', '1'],
    ['1', '0'],
  ])('of %s is %s', (given, expected) => {
    expect(complementOf(given)).toBe(expected)
  })

  test('applied twice returns the price, and both add up to exactly one', () => {
    fc.assert(
      fc.property(price, (p) => {
        expect(complementOf(complementOf(p))).toBe(p)
        expect(toUnits(p) + toUnits(complementOf(p))).toBe(toUnits('1'))
      }),
    )
  })
})

test.each([
  ['0.5', ['0.500']],
  ['0.28', ['0.280']],
  ['1', ['1.000']],
  ['0.9975', ['0.997', '0.998', '0.9975']],
  ['0.9995', ['0.999', '1.000', '0.9995']],
])('a last trade at %s may be written %j', (given, expected) => {
  expect(lastTradeTexts(given)).toEqual(expected)
})

test.each(['', '.', '1.', '-1', '1e3', ' 1', '0x1', 'NaN'])('%j is no decimal', (text) => {
  expect(() => toUnits(text)).toThrow('not a decimal')
})

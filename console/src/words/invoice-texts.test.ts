import { expect, test } from 'vitest'
import { missingAmount } from './invoice-texts.ts'

test.each([
  ['0.00026563', '0.00005563', '0.00021'],
  ['5', '2.5', '2.5'],
  ['100', '0', '100'],
  ['0.1', '0.09999999999999999999', '0.00000000000000000001'],
])('of %s coins, %s have come and %s are missing', (due, received, missing) => {
  expect(missingAmount(due, received)).toBe(missing)
})

test('nothing is missing when all has come, and nothing is claimed when an amount is unknown', () => {
  expect(missingAmount('1', '1.0')).toBeUndefined()
  expect(missingAmount('1', '2')).toBeUndefined()
  expect(missingAmount(null, '1')).toBeUndefined()
  expect(missingAmount('1', null)).toBeUndefined()
  expect(missingAmount('1e-3', '0')).toBeUndefined()
})

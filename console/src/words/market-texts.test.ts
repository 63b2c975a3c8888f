import { expect, test } from 'vitest'
import { centsText, percentOfPrice, sizeText, timeLeftText } from './market-texts.ts'

test('a price is shown as it is and in percent, without the digits of binary fractions', () => {
  expect([0.54, 0.545, 0.5, 0.07 * 3, 1, 0].map(centsText)).toEqual(['0.54', '0.545', '0.50', '0.21', '1.00', '0.00'])
  expect([0.54, 0.545, 0.07].map(percentOfPrice)).toEqual(['54 %', '54.5 %', '7 %'])
})

test('the time left counts down to zero and not below', () => {
  expect([247_900, 7_447_000, 60_000, 5_000, -5, 300_000_000].map(timeLeftText)).toEqual([
    '4:07',
    '2:04:07',
    '1:00',
    '0:05',
    '0:00',
    '3 days',
  ])
})

test('large sizes are shortened', () => {
  expect([5, 12.345, 412.5, 9_999, 12_400, 3_456_789].map(sizeText)).toEqual([
    '5',
    '12.35',
    '413',
    '9999',
    '12.4k',
    '3.46M',
  ])
})

import { expect, test } from 'vitest'
import { ageText, bytesText, rateText, reviewText } from './operator-texts.ts'

test('figures of the board have units and a steady number of digits', () => {
  expect([0, 1_023, 1_536, 3_145_728].map(bytesText)).toEqual(['0 B', '1023 B', '1.5 KiB', '3.0 MiB'])
  expect([0, 1_234.56].map(rateText)).toEqual(['0.0', '1,234.6'])
  expect([850, 1_200, 12_345].map(ageText)).toEqual(['850 ms', '1,200 ms', '12.3 s'])
})

test('a reason that this console does not know is shown as it is', () => {
  expect(reviewText('underpaid')).toBe('Less than the price has arrived.')
  expect(reviewText('sent_by_pigeon')).toBe('sent by pigeon')
  expect(reviewText('constructor')).toBe('constructor')
})

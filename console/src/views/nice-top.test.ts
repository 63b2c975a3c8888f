import { expect, test } from 'vitest'
import { niceTop } from './nice-top.ts'

test('the top of an axis is a round number that is not below the largest value', () => {
  expect([1, 3, 7, 10, 11, 420, 5_001].map(niceTop)).toEqual([1, 5, 10, 10, 20, 500, 10_000])
})

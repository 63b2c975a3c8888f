import { expect, test } from 'vitest'
import { RequestPace } from './request-pace.ts'

test('no minute has more requests than the tier can spare, also when the tier changes meanwhile', () => {
  let most = 2
  const pace = new RequestPace(() => most)
  expect([0, 1_000, 2_000, 59_000].map((atMs) => pace.take(atMs))).toEqual([true, true, false, false])
  expect([60_000, 60_500, 61_000].map((atMs) => pace.take(atMs))).toEqual([true, false, true])
  most = 3
  expect([61_500, 61_600].map((atMs) => pace.take(atMs))).toEqual([true, false])
})

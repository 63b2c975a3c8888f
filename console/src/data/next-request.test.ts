import { BookreelError } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { nextRequestMs } from './next-request.ts'

const refused = (code: string) => new BookreelError(code, '')

test('a query that failed for a while asks again soon, whatever its usual time is', () => {
  const times = [2_000, 60_000, false] as const
  expect(times.map((usual) => nextRequestMs(null, usual))).toEqual([2_000, 60_000, false])
  expect(times.map((usual) => nextRequestMs(refused('store_unavailable'), usual))).toEqual([2_000, 5_000, 5_000])
  expect(times.map((usual) => nextRequestMs(refused('rate_limited'), usual))).toEqual([15_000, 60_000, 15_000])
  expect(times.map((usual) => nextRequestMs(refused('market_not_found'), usual))).toEqual([2_000, 60_000, false])
})

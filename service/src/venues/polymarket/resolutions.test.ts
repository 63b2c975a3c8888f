import { expect, test } from 'vitest'
import { readResolution } from './resolutions.ts'

const marketId = `0x${'ab'.repeat(32)}`
const closed = {
  conditionId: marketId,
  closed: true,
  outcomePrices: '["1", "0"]',
  closedTime: '2026-03-19 23:20:15+00',
}
const resolvedAtMs = Date.parse('2026-03-19T23:20:15Z')

test('the price 1 is the winner, 0.5 for both is a split, and anything else is no result', () => {
  expect(readResolution(closed)).toEqual([{ marketId, winner: 0, resolvedAtMs }])
  expect(readResolution({ ...closed, outcomePrices: ['0', '1'] })).toEqual([{ marketId, winner: 1, resolvedAtMs }])
  expect(readResolution({ ...closed, outcomePrices: '["0.5", "0.5"]' })).toEqual([{ marketId, resolvedAtMs }])
  for (const outcomePrices of ['["0", "0"]', '["0.999", "0.001"]', '[]', null, undefined])
    expect(readResolution({ ...closed, outcomePrices })).toEqual([])
  expect(readResolution({ ...closed, closed: false })).toEqual([])
  expect(readResolution('nothing')).toEqual([])
})

test('a v2 id is padded, and another time replaces a missing closedTime', () => {
  const short = { ...closed, conditionId: marketId.slice(0, -2), closedTime: null, umaEndDate: '2026-03-19T23:20:15Z' }
  expect(readResolution(short)).toEqual([{ marketId: `${marketId.slice(0, -2)}00`, winner: 0, resolvedAtMs }])
})

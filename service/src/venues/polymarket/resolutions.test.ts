import { expect, test } from 'vitest'
import { readEnding, readWinner } from './resolutions.ts'

const marketId = `0x${'ab'.repeat(32)}`
const closed = {
  conditionId: marketId,
  closed: true,
  outcomePrices: '["1", "0"]',
  closedTime: '2026-03-19 23:20:15+00',
}
const resolvedAtMs = Date.parse('2026-03-19T23:20:15Z')

test('the price 1 is the winner, 0.5 for both is a split, and anything else is no result', () => {
  const resolved = (winner?: 0 | 1) => [
    { marketId, resolution: { marketId, ...(winner !== undefined && { winner }), resolvedAtMs } },
  ]
  expect(readEnding(closed)).toEqual(resolved(0))
  expect(readEnding({ ...closed, outcomePrices: ['0', '1'] })).toEqual(resolved(1))
  expect(readEnding({ ...closed, outcomePrices: '["0.5", "0.5"]' })).toEqual(resolved())
  for (const outcomePrices of ['["0", "0"]', '["0.999", "0.001"]', '[]', 'nothing', null, undefined])
    expect(readEnding({ ...closed, outcomePrices })).toEqual([{ marketId }])
  expect(readEnding({ ...closed, closed: false })).toEqual([])
  expect(readEnding('nothing')).toEqual([])
})

test('a v2 id is padded, and another time replaces a missing closedTime', () => {
  const short = { ...closed, conditionId: marketId.slice(0, -2), closedTime: null, umaEndDate: '2026-03-19T23:20:15Z' }
  const id = `${marketId.slice(0, -2)}00`
  expect(readEnding(short)).toEqual([{ marketId: id, resolution: { marketId: id, winner: 0, resolvedAtMs } }])
})

test('the winner of the second source is matched with the own tokens, not with the order of the answer', () => {
  const market = { id: marketId, tokenIds: ['7001', '7002'] as const }
  const answer = (winners: string[]) => ({
    closed: true,
    tokens: ['7002', '7001'].map((token_id) => ({ token_id, winner: winners.includes(token_id) })),
  })
  const resolution = { marketId, winner: 1, resolvedAtMs: 5 }
  expect(readWinner(market, answer(['7002']), 5)).toEqual({ marketId, resolution })
  expect(readWinner(market, answer([]), 5)).toEqual({ marketId })
  expect(readWinner(market, answer(['7001', '7002']), 5)).toEqual({ marketId })
  expect(readWinner(market, { ...answer([]), closed: false }, 5)).toBeUndefined()
  expect(readWinner({ ...market, tokenIds: ['1', '2'] }, answer(['7002']), 5)).toEqual({ marketId })
  expect(readWinner(market, 'nothing', 5)).toBeUndefined()
})

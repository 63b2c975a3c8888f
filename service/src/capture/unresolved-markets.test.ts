import { expect, test } from 'vitest'
import { UnresolvedMarkets } from './unresolved-markets.ts'

function requestTimes(unresolved: UnresolvedMarkets, fromMs: number, toMs: number): number[] {
  const atMs: number[] = []
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 1_000) if (unresolved.due(nowMs).includes('a')) atMs.push(nowMs)
  return atMs
}

test('an unresolved market is requested at once, then with growing pauses of at most ten minutes, for a week', () => {
  const unresolved = new UnresolvedMarkets()
  unresolved.note('a', 0)
  unresolved.note('a', 3_000)
  const atMs = requestTimes(unresolved, 0, 3 * 3_600_000)
  expect(atMs.slice(0, 4)).toEqual([0, 5_000, 10_000, 15_000])
  const pauses = atMs.slice(1).map((each, index) => each - (atMs[index] ?? 0))
  expect(Math.max(...pauses)).toBe(600_000)
  for (const [index, pauseMs] of pauses.entries())
    expect(pauseMs).toBeLessThanOrEqual(Math.max(5_000, (atMs[index] ?? 0) * 0.1) + 1_000)
  expect(unresolved.due(8 * 86_400_000)).toEqual(['a'])
  expect(unresolved.due(9 * 86_400_000)).toEqual([])
})

test('a market that is listed again or resolved is not requested', () => {
  const unresolved = new UnresolvedMarkets()
  unresolved.note('a', 0, 10_000)
  expect(requestTimes(unresolved, 0, 9_000)).toEqual([])
  unresolved.forget('a')
  expect(requestTimes(unresolved, 10_000, 100_000)).toEqual([])
})

test('a round requests a bounded number, and the others in the next one', () => {
  const unresolved = new UnresolvedMarkets()
  for (const id of ['a', 'b', 'c']) unresolved.note(id, 0)
  expect(unresolved.due(0, 2)).toEqual(['a', 'b'])
  expect(unresolved.due(1_000, 2)).toEqual(['c'])
})

import { expect, test } from 'vitest'
import { UnresolvedMarkets } from './unresolved-markets.ts'

function asked(departures: UnresolvedMarkets, fromMs: number, toMs: number): number[] {
  const atMs: number[] = []
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 1_000) if (departures.due(nowMs).includes('a')) atMs.push(nowMs)
  return atMs
}

test('what left is asked about at once and then ever more seldom, at most ten minutes apart, for a week', () => {
  const departures = new UnresolvedMarkets()
  departures.note('a', 0)
  departures.note('a', 3_000)
  const atMs = asked(departures, 0, 3 * 3_600_000)
  expect(atMs.slice(0, 5)).toEqual([0, 5_000, 15_000, 35_000, 75_000])
  const pauses = atMs.slice(1).map((each, index) => each - (atMs[index] ?? 0))
  expect(Math.max(...pauses)).toBe(600_000)
  expect(departures.due(8 * 86_400_000)).toEqual(['a'])
  expect(departures.due(9 * 86_400_000)).toEqual([])
})

test('what is listed again, or has ended, is not asked about', () => {
  const departures = new UnresolvedMarkets()
  departures.note('a', 0, 10_000)
  expect(asked(departures, 0, 9_000)).toEqual([])
  departures.forget('a')
  expect(asked(departures, 10_000, 100_000)).toEqual([])
})

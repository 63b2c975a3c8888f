import { newMarketText } from '@bookreel/simulator/polymarket/frames'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { expect, test } from 'vitest'
import { ToldRecorder } from './told-recorder.ts'

const NEAR_THE_END_MS = Date.parse('2026-11-15T02:24:30Z')

function marketsOf({ told }: ToldRecorder, activity: WorldMarket['activity']): WorldMarket[] {
  return [...told.world.markets.values()].filter((each) => each.activity === activity && each.phase === 'trading')
}

test('F6: a first book that was last changed long ago is believed; receipt and event keep their own times', () => {
  const recorder = new ToldRecorder()
  const quiet = marketsOf(recorder, 'cold').toSorted((one, other) => one.changedAtMs - other.changedAtMs)[0]
  if (quiet === undefined) throw new Error('no quiet market')
  const openedAtMs = recorder.nowMs
  recorder.follow(quiet)
  recorder.run(1_000)
  const [row] = recorder.rowsOf(quiet)
  expect(openedAtMs - (row?.eventAtMs ?? 0)).toBeGreaterThan(3_000)
  expect([row?.receivedAtMs, row?.eventAtMs, recorder.gapsOf(quiet)]).toEqual([openedAtMs, quiet.changedAtMs, []])
})

test('F7: changes that come before the first book leave no row, only a gap that says so', () => {
  const recorder = new ToldRecorder()
  const [market] = marketsOf(recorder, 'hot')
  if (market === undefined) throw new Error('no busy market')
  recorder.follow(market, { isFirstBookSent: false })
  recorder.run(3_000)
  expect(recorder.framesOf(market)).toBeGreaterThan(10)
  expect(recorder.rowsOf(market)).toEqual([])
  expect(new Set(recorder.gapsOf(market).map(({ cause }) => cause))).toEqual(new Set(['not_listed_yet']))
  recorder.sendFirstBook(market)
  recorder.run(1_000)
  expect(recorder.rowsOf(market)).toHaveLength(4)
})

test('F14: trades of both tokens are recorded, each with the outcome that the taker traded', () => {
  const recorder = new ToldRecorder()
  const [market] = marketsOf(recorder, 'hot')
  if (market === undefined) throw new Error('no busy market')
  recorder.follow(market)
  recorder.run(60_000)
  const outcomes = recorder.trades
    .filter(({ marketId }) => marketId === market.conditionId)
    .map(({ outcome }) => outcome)
  expect(new Set(outcomes)).toEqual(new Set([0, 1]))
  expect(outcomes).toHaveLength(recorder.tradesToldOf(market))
})

test('F16: a new market that every socket tells of is followed once, when discovery lists it', () => {
  const recorder = new ToldRecorder()
  const [market] = marketsOf(recorder, 'hot')
  if (market === undefined) throw new Error('no busy market')
  for (let socket = 0; socket < 5; socket++)
    recorder.follower.frame(newMarketText(market, recorder.nowMs), recorder.nowMs)
  expect([recorder.follower.markets.size, recorder.problems]).toEqual([0, []])
  recorder.follow(market)
  recorder.follow(market)
  recorder.run(5_000)
  const rows = recorder.rowsOf(market)
  expect([rows.length, rows.at(-1)?.eventAtMs]).toEqual([20, market.changedAtMs])
})

test('F25: a market that settles ends with its last proved row and the name of its winner, without a gap', () => {
  const recorder = new ToldRecorder(NEAR_THE_END_MS)
  const window = marketsOf(recorder, 'hot').find(({ draft }) => draft.slug.startsWith('btc-updown-5m-'))
  if (window === undefined) throw new Error('no window')
  recorder.follow(window)
  recorder.run(window.resolveAtMs - NEAR_THE_END_MS + 5_000)
  const rows = recorder.rowsOf(window)
  expect(recorder.resolutions).toMatchObject([{ marketId: window.conditionId, winner: window.winner }])
  expect(recorder.gapsOf(window)).toEqual([])
  expect(rows.at(-1)?.slot).toBe(Math.floor((recorder.resolutions[0]?.resolvedAtMs ?? 0) / 250))
  expect(rows).toHaveLength((rows.at(-1)?.slot ?? 0) - (rows[0]?.slot ?? 0) + 1)
})

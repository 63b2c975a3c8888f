import { newMarketText } from '@bookreel/simulator/polymarket/frames'
import { WORLD_START_MS } from '@bookreel/simulator/polymarket/offline-world'
import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { expect, test } from 'vitest'
import { WorldRecorder } from './world-recorder.ts'

const NEAR_THE_END_MS = Date.parse('2026-11-15T02:24:30Z')

function marketsOf({ told }: WorldRecorder, activity: WorldMarket['activity']): WorldMarket[] {
  return [...told.world.markets.values()].filter((each) => each.activity === activity && each.phase === 'trading')
}

test('F6: a first book with an old event time is accepted, and receipt and event time are kept apart', () => {
  const recorder = new WorldRecorder()
  const quiet = marketsOf(recorder, 'cold').toSorted((one, other) => one.changedAtMs - other.changedAtMs)[0]
  if (quiet === undefined) throw new Error('no quiet market')
  const openedAtMs = recorder.nowMs
  recorder.follow(quiet)
  recorder.run(1_000)
  const [row] = recorder.rowsOf(quiet)
  expect(openedAtMs - (row?.eventAtMs ?? 0)).toBeGreaterThan(3_000)
  expect([row?.receivedAtMs, row?.eventAtMs, recorder.gapsOf(quiet)]).toEqual([openedAtMs, quiet.changedAtMs, []])
})

test('F7: changes before the first book make no row, only a not_listed_yet gap', () => {
  const recorder = new WorldRecorder()
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
  const recorder = new WorldRecorder()
  const [market] = marketsOf(recorder, 'hot')
  if (market === undefined) throw new Error('no busy market')
  recorder.follow(market)
  recorder.run(60_000)
  const outcomes = recorder.trades
    .filter(({ marketId }) => marketId === market.conditionId)
    .map(({ outcome }) => outcome)
  expect(new Set(outcomes)).toEqual(new Set([0, 1]))
  expect(outcomes).toHaveLength(recorder.tradesReceivedOf(market))
})

test('trades that are announced 120 ms after their hash are all recorded, and make no doubt', () => {
  const recorder = new WorldRecorder(WORLD_START_MS, ['late-trades'])
  const markets = marketsOf(recorder, 'hot')
  for (const market of markets) recorder.follow(market)
  const firstSlot = Math.floor(recorder.nowMs / 250) + 1
  recorder.run(120_000)
  for (const market of markets) {
    const recorded = recorder.trades.filter(({ marketId }) => marketId === market.conditionId)
    expect(recorded).toHaveLength(recorder.tradesReceivedOf(market))
    expect([recorder.gapsOf(market), recorder.rowsOf(market)[0]?.slot]).toEqual([[], firstSlot])
    expect(recorder.rowsOf(market).every(({ flags }) => (flags & 3) === 3)).toBe(true)
    expect(recorder.rowsOf(market).at(-1)?.eventAtMs).toBe(market.changedAtMs)
  }
  expect(recorder.trades.length).toBeGreaterThan(50)
})

test('F16: a new market announced on every socket is followed once, when discovery lists it', () => {
  const recorder = new WorldRecorder()
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

test('F25: a market that is resolved ends with its last proved row and its winner, without a gap', () => {
  const recorder = new WorldRecorder(NEAR_THE_END_MS)
  const window = marketsOf(recorder, 'hot').find(({ draft }) => draft.slug.startsWith('btc-updown-5m-'))
  if (window === undefined) throw new Error('no window')
  recorder.follow(window)
  recorder.run(window.resolveAtMs - NEAR_THE_END_MS + 5_000)
  const rows = recorder.rowsOf(window)
  const winningTokenId = window.tokenIds[window.winner ?? 0]
  expect(recorder.resolutions).toMatchObject([{ marketId: window.conditionId, winningTokenId }])
  expect(recorder.gapsOf(window)).toEqual([])
  expect(rows.at(-1)?.slot).toBe(Math.floor((recorder.resolutions[0]?.resolvedAtMs ?? 0) / 250))
  expect(rows).toHaveLength((rows.at(-1)?.slot ?? 0) - (rows[0]?.slot ?? 0) + 1)
})

test('a market that is removed and listed again has a gap for the time between', () => {
  const recorder = new WorldRecorder()
  const [market] = marketsOf(recorder, 'hot')
  if (market === undefined) throw new Error('no market')
  recorder.follow(market)
  recorder.run(5_000)
  recorder.leave(market.conditionId)
  recorder.run(10_000)
  recorder.follow(market)
  recorder.run(5_000)
  const slots = recorder.rowsOf(market).map(({ slot }) => slot)
  const [gap, ...others] = recorder.gapsOf(market)
  expect(others).toEqual([])
  expect(gap).toMatchObject({
    cause: 'not_listed_yet',
    kind: 'missing',
    fromSlot: (slots[19] ?? 0) + 1,
    toSlot: (slots[20] ?? 0) - 1,
  })
  expect(slots).toHaveLength(40)
})

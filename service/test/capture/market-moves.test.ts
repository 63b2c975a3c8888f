import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { expect, test } from 'vitest'
import { WorldRecorder } from './world-recorder.ts'

const [OLD, NEW] = [1, 2]

/** A recorder whose market comes over socket 1, which may be late; socket 2 is on time. */
function sceneWith(lateMs: number) {
  const recorder = new WorldRecorder()
  const market = [...recorder.told.world.markets.values()].find(({ activity }) => activity === 'hot')
  if (market === undefined) throw new Error('no busy market')
  recorder.follow(market, { socket: OLD })
  recorder.run(5_000)
  recorder.delay(OLD, lateMs)
  recorder.run(lateMs)
  return { recorder, market }
}

function untilSwitched(recorder: WorldRecorder, { conditionId }: WorldMarket): void {
  for (let step = 0; !recorder.switched.includes(conditionId); step++) {
    if (step > 100) throw new Error('the market did not move')
    recorder.run(250)
  }
}

test.each([0, 12_000])(
  'a market moves from a socket that is %i ms late without a gap, and its row is as new as the new socket',
  (lateMs) => {
    const { recorder, market } = sceneWith(lateMs)
    recorder.move(market, NEW)
    expect(recorder.rowsOf(market).at(-1)?.eventAtMs ?? 0).toBeLessThanOrEqual(recorder.nowMs - lateMs)
    recorder.run(250)
    untilSwitched(recorder, market)
    recorder.run(1_000)
    const rows = recorder.rowsOf(market)
    expect(recorder.gapsOf(market)).toEqual([])
    expect(rows).toHaveLength((rows.at(-1)?.slot ?? 0) - (rows[0]?.slot ?? 0) + 1)
    expect(rows.at(-1)?.eventAtMs).toBe(market.changedAtMs)
  },
)

test('every trade is recorded once, from whichever socket has it', () => {
  const { recorder, market } = sceneWith(12_000)
  recorder.run(30_000)
  recorder.move(market, NEW)
  untilSwitched(recorder, market)
  // The old socket still has the trades of the last twelve seconds, and then some that the new one had already.
  recorder.run(40_000)
  recorder.follower.route({ kind: 'left', marketId: market.conditionId })
  recorder.run(30_000)
  const trades = recorder.trades.filter(({ marketId }) => marketId === market.conditionId)
  expect(trades.length).toBeGreaterThan(3)
  expect(trades).toHaveLength(recorder.tradesReceivedOf(market))
})

test('frames of a socket that the market has left, or never used, are ignored', () => {
  const { recorder, market } = sceneWith(0)
  recorder.move(market, NEW)
  untilSwitched(recorder, market)
  recorder.follower.route({ kind: 'left', marketId: market.conditionId })
  const before = recorder.follower.markets.get(market.conditionId)?.book.proved
  for (const socket of [OLD, 7])
    recorder.follower.frame(recorder.told.firstFrame(market).replace('"size":"', '"size":"9'), recorder.nowMs, socket)
  expect(recorder.follower.markets.get(market.conditionId)?.book.proved).toBe(before)
})

test('a lost socket while its market moves: the new book takes over, and the gap has the cause of the loss', () => {
  const { recorder, market } = sceneWith(0)
  const marketId = market.conditionId
  recorder.follower.route({ kind: 'moving', marketId, socket: NEW })
  recorder.follower.lost([marketId], { cause: 'disconnected', detail: 'closed' }, recorder.nowMs)
  recorder.follower.route({ kind: 'assigned', marketId, socket: NEW })
  recorder.delay(OLD, 3_600_000)
  recorder.run(1_000)
  recorder.deliver(market, NEW)
  recorder.run(1_000)
  expect(new Set(recorder.gapsOf(market).map(({ cause }) => cause))).toEqual(new Set(['disconnected']))
  expect(recorder.rowsOf(market).at(-1)?.eventAtMs).toBe(market.changedAtMs)
})

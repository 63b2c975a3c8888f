import type { Market as WorldMarket } from '@bookreel/simulator/world/market'
import { expect, test } from 'vitest'
import { TRADE_DELAY_MS } from '../../src/capture/gap-ledger.ts'
import { slotAt } from '../../src/domain/slot.ts'
import { WorldRecorder } from './world-recorder.ts'

const INTERVAL_MS = 250

function busyMarket({ told }: WorldRecorder): WorldMarket {
  const market = [...told.world.markets.values()].find(
    ({ activity, phase }) => activity === 'hot' && phase === 'trading',
  )
  if (market === undefined) throw new Error('no busy market')
  return market
}

test('a socket that is lost and replaced within one slot costs no row, but the time of its trades is recorded', () => {
  const recorder = new WorldRecorder()
  const market = busyMarket(recorder)
  recorder.follow(market)
  recorder.run(10_000)
  const lostAtMs = recorder.nowMs
  recorder.follower.lost([market.conditionId], { cause: 'disconnected', detail: 'close 1006' }, lostAtMs)
  recorder.sendFirstBook(market)
  recorder.run(5_000)
  expect(recorder.gapsOf(market)).toEqual([])
  expect(recorder.tradeGaps).toEqual([
    expect.objectContaining({
      marketId: market.conditionId,
      fromSlot: slotAt(lostAtMs - TRADE_DELAY_MS, INTERVAL_MS),
      toSlot: slotAt(lostAtMs, INTERVAL_MS) + 1,
      cause: 'disconnected',
      kind: 'trades',
    }),
  ])
})

test('equal fills in one frame are numbered, and the same frame again gets the same numbers', () => {
  const recorder = new WorldRecorder()
  const market = busyMarket(recorder)
  recorder.follow(market)
  const fill = {
    event_type: 'last_trade_price',
    market: market.conditionId,
    asset_id: market.tokenIds[0],
    price: '0.51',
    size: '20',
    side: 'BUY',
    fee_rate_bps: '0',
    timestamp: String(recorder.nowMs),
    transaction_hash: `0x${'ab'.repeat(32)}`,
  }
  const frame = JSON.stringify([fill, { ...fill, size: '21' }, fill])
  recorder.follower.frame(frame, recorder.nowMs)
  recorder.follower.frame(frame, recorder.nowMs + 120)
  recorder.run(INTERVAL_MS)
  const mine = recorder.trades.filter(({ transactionHash }) => transactionHash === fill.transaction_hash)
  const once = [
    [20_000_000, 0],
    [21_000_000, 0],
    [20_000_000, 1],
  ]
  expect(mine.map(({ size, occurrence }) => [size, occurrence])).toEqual([...once, ...once])
})

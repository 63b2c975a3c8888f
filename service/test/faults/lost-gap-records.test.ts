import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeBatch, rowsIn } from '../../src/bus/batch.ts'
import { raiseFence } from '../../src/bus/fence.ts'
import { PUBLISH_LIMITS } from '../../src/bus/publish.ts'
import { ShardPublisher } from '../../src/capture/shard-publisher.ts'
import { gapSchema, type StoredGap, TRADES_KIND, type TradeGap } from '../../src/domain/rows/gap.ts'
import { type Bus, openBus } from '../bus/open-bus.ts'
import { INTERVAL_MS, marketIdOf, START_MS, snapshotOf } from '../bus/tick-batches.ts'
import { perpTradeRow } from '../http/tape-scene.ts'

function lostTrades(tick: number): TradeGap {
  const slot = START_MS / INTERVAL_MS + tick
  const place = { marketId: marketIdOf(2), fromSlot: slot, toSlot: slot, knownAtSlot: slot, intervalMs: INTERVAL_MS }
  return { ...place, cause: 'bus_unavailable', kind: TRADES_KIND, detail: 'the trades could not be published' }
}

const closing = new AsyncDisposableStack()
let bus: Bus
beforeAll(async () => {
  const stack: Stack = closing.use(await borrowStack({ engines: ['nats'] }))
  bus = closing.use(await openBus(stack, {}))
})
afterAll(() => closing.disposeAsync())

test('accountedTickMs stays before lost rows until their gap records are on the bus, also those of lost trades', async () => {
  let maySend = false
  let lost = 0
  let passedMs = 0
  const acknowledged: number[] = []
  const gaps: StoredGap[] = []
  const lostTradeIds: number[] = []
  const publisher = new ShardPublisher({
    jetstream: bus.jetstream,
    shard: 'polymarket.1',
    epoch: 1,
    timer: { monotonicMs: () => passedMs, sleep: () => sleep(1) },
    fence: await raiseFence(bus.jetstream, 'polymarket.1', 'test'),
    nowMs: () => START_MS,
    limits: { ...PUBLISH_LIMITS, queueMs: 3_000 },
    maySend: () => maySend,
    onAcknowledged: ({ tickAtMs, bytes }) => {
      acknowledged.push((tickAtMs - START_MS) / INTERVAL_MS)
      gaps.push(...rowsIn(decodeBatch(bytes), 'gaps', gapSchema))
    },
    onGivenUp: () => lost++,
    onPricesLost: () => {},
    onPerpTradesLost: (trades) => lostTradeIds.push(...trades.map(({ tradeId }) => tradeId)),
  })
  const stop = new AbortController()
  const running = publisher.run(stop.signal)
  const publish = (tick: number): void => {
    publisher.publish(START_MS + tick * INTERVAL_MS, {
      snapshots: [snapshotOf(1, tick)],
      gaps: [],
      trades: [],
      ifTradesAreLost: new Map([[marketIdOf(2), lostTrades(tick)]]),
      perps: [],
      prices: [],
      settlements: [],
      tape: [{ kind: 'trade', row: { ...perpTradeRow('BTC', START_MS), tradeId: tick } }],
    })
  }
  const accountedTick = () => ((publisher.accountedTickMs ?? 0) - START_MS) / INTERVAL_MS

  maySend = true
  publish(0)
  await expect.poll(accountedTick).toBe(0)
  maySend = false
  publish(1)
  passedMs += 2_500
  publish(2)
  // Only the first of the two is too old now.
  passedMs += 1_000
  await expect.poll(() => lost, { interval: 5 }).toBe(1)
  maySend = true
  await expect.poll(() => acknowledged).toEqual([0, 2])
  expect(accountedTick()).toBeLessThan(1)
  publish(3)
  publish(4)
  await expect.poll(accountedTick).toBe(4)
  // The market of the trades has no row in the lost batch: only this record tells of the loss.
  expect(gaps).toContainEqual(lostTrades(1))
  expect(lostTradeIds).toEqual([1])
  expect(gaps.filter(({ kind }) => kind === TRADES_KIND)).toHaveLength(1)
  stop.abort()
  await running
})

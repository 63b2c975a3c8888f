import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { raiseFence } from '../../src/bus/fence.ts'
import { PUBLISH_LIMITS } from '../../src/bus/publish.ts'
import { ShardPublisher } from '../../src/capture/shard-publisher.ts'
import { type Bus, openBus } from '../bus/open-bus.ts'
import { INTERVAL_MS, START_MS, snapshotOf } from '../bus/tick-batches.ts'

const closing = new AsyncDisposableStack()
let bus: Bus
beforeAll(async () => {
  const stack: Stack = closing.use(await borrowStack({ engines: ['nats'] }))
  bus = closing.use(await openBus(stack, {}))
})
afterAll(() => closing.disposeAsync())

test('accountedTickMs stays before lost rows until their gap records are on the bus', async () => {
  let maySend = false
  let lost = 0
  const acknowledged: number[] = []
  const publisher = new ShardPublisher({
    jetstream: bus.jetstream,
    shard: 1,
    epoch: 1,
    fence: await raiseFence(bus.jetstream, 1, 'test'),
    nowMs: () => START_MS,
    limits: { ...PUBLISH_LIMITS, queueMs: 400, pauseMs: 10 },
    maySend: () => maySend,
    onAcknowledged: ({ tickAtMs }) => acknowledged.push((tickAtMs - START_MS) / INTERVAL_MS),
    onGivenUp: () => lost++,
  })
  const stop = new AbortController()
  const running = publisher.run(stop.signal)
  const publish = (tick: number): void => {
    publisher.publish(START_MS + tick * INTERVAL_MS, {
      snapshots: [snapshotOf(1, tick)],
      gaps: [],
      trades: [],
      perps: [],
    })
  }
  const accountedTick = () => ((publisher.accountedTickMs ?? 0) - START_MS) / INTERVAL_MS

  maySend = true
  publish(0)
  await expect.poll(accountedTick).toBe(0)
  maySend = false
  publish(1)
  // Makes the second batch younger, so that only the first is too old.
  await sleep(250)
  publish(2)
  await expect.poll(() => lost, { interval: 5 }).toBe(1)
  maySend = true
  await expect.poll(() => acknowledged).toEqual([0, 2])
  expect(accountedTick()).toBeLessThan(1)
  publish(3)
  publish(4)
  await expect.poll(accountedTick).toBe(4)
  stop.abort()
  await running
})

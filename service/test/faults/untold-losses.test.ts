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

test('while rows are lost and no record of it is on the bus, the account left for a successor ends before them', async () => {
  let mayLeave = false
  let lost = 0
  const acknowledged: number[] = []
  const voice = new ShardPublisher({
    jetstream: bus.jetstream,
    shard: 1,
    epoch: 1,
    fence: await raiseFence(bus.jetstream, 1, 'test'),
    nowMs: () => START_MS,
    limits: { ...PUBLISH_LIMITS, queueMs: 400, pauseMs: 10 },
    maySend: () => mayLeave,
    onAcknowledged: ({ tickAtMs }) => acknowledged.push((tickAtMs - START_MS) / INTERVAL_MS),
    onGivenUp: () => lost++,
  })
  const stop = new AbortController()
  const running = voice.run(stop.signal)
  const say = (tick: number): void => {
    voice.say(START_MS + tick * INTERVAL_MS, { snapshots: [snapshotOf(1, tick)], gaps: [], trades: [], perps: [] })
  }
  const accountedTick = () => ((voice.accountedTickMs ?? 0) - START_MS) / INTERVAL_MS

  mayLeave = true
  say(0)
  await expect.poll(accountedTick).toBe(0)
  mayLeave = false
  say(1)
  // The age by which the two differ, so that only the first is too old.
  await sleep(250)
  say(2)
  await expect.poll(() => lost, { interval: 5 }).toBe(1)
  mayLeave = true
  await expect.poll(() => acknowledged).toEqual([0, 2])
  expect(accountedTick()).toBeLessThan(1)
  say(3)
  say(4)
  await expect.poll(accountedTick).toBe(4)
  stop.abort()
  await running
})

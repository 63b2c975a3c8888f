// Nightly: kills and pauses NATS.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { prepareStreams } from '../../src/bus/streams.ts'
import { DEAD_STREAM, MARKETS_STREAM } from '../../src/bus/subjects.ts'
import { type Bus, openBus } from './open-bus.ts'
import { ROWS, runPublisher, storedNumbers } from './run-publisher.ts'
import { tickBatches } from './tick-batches.ts'

const shardCounts = new Map([['polymarket', 8]])
let stack: Stack
let bus: Bus
beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})
afterAll(() => stack.stop())
beforeEach(async () => {
  bus = await openBus(stack, { shardCounts })
})
afterEach(async () => {
  for (const name of [ROWS, DEAD_STREAM, MARKETS_STREAM]) await bus.manager.streams.delete(name)
  await bus.connection.close()
})

test('every batch is stored once and in order although the server is killed in between', async () => {
  const batches = tickBatches({ ticks: 400, markets: 5 })
  const { publisher, acknowledged, givenUp, stop } = runPublisher({
    jetstream: bus.jetstream,
    limits: { answerMs: 500, finishMs: 20_000 },
  })
  for (const batch of batches.slice(0, 200)) publisher.publish(batch)
  await expect.poll(() => acknowledged.length, { interval: 1 }).toBeGreaterThan(50)
  const killed = stack.engine('nats').kill()
  for (const batch of batches.slice(200)) publisher.publish(batch)
  await killed
  await expect.poll(() => publisher.failure).toBe('unreachable')
  expect(acknowledged.length).toBeLessThan(400)
  await stack.engine('nats').restart()
  await expect.poll(() => acknowledged.length).toBe(400)
  await stop()
  expect(givenUp).toEqual([])
  expect(await storedNumbers(bus.manager)).toEqual(batches.map(({ n }) => n))
})

test('a full stream refuses batches: the publisher reports it, gives them up, and continues when there is room', async () => {
  await prepareStreams(bus.manager, { shardCounts, maxBytes: 200_000 })
  const batches = tickBatches({ ticks: 60, markets: 40 })
  const limits = { queueMs: 1_500, pauseMs: 20 }
  const { publisher, acknowledged, givenUp, stop } = runPublisher({ jetstream: bus.jetstream, limits })
  for (const batch of batches) publisher.publish(batch)
  await expect.poll(() => publisher.failure).toBe('stream_full')
  await expect.poll(() => publisher.queuedCount).toBe(0)
  expect(new Set(givenUp.map(({ cause }) => cause))).toEqual(new Set(['stream_full']))
  expect(givenUp.some(({ isUnconfirmed }) => isUnconfirmed)).toBe(false)
  const [stored, refused] = [acknowledged.map(({ n }) => n), givenUp.map(({ batch }) => batch.n)]
  expect([...stored, ...refused]).toEqual(batches.map(({ n }) => n))
  expect(await storedNumbers(bus.manager)).toEqual(stored)

  await bus.manager.streams.purge(ROWS)
  const [next] = tickBatches({ ticks: 1, markets: 1, epoch: 2 })
  if (next) publisher.publish(next)
  await expect.poll(() => acknowledged.length).toBe(stored.length + 1)
  expect(publisher.failure).toBeUndefined()
  await stop()
})

test('while publishing fails, batches that are too old or too many are given up, oldest first', async () => {
  await stack.engine('nats').pause()
  const batches = tickBatches({ ticks: 30, markets: 20 })
  const size = batches[0]?.bytes.length ?? 0
  const limits = { queueBytes: size * 10.5, queueMs: 1_000, answerMs: 200, pauseMs: 10, finishMs: 5_000 }
  const { publisher, givenUp, acknowledged, stop } = runPublisher({ jetstream: bus.jetstream, limits })
  for (const batch of batches) publisher.publish(batch)
  await sleep(0)
  expect(givenUp.map(({ batch, cause }) => [batch.n, cause])).toEqual(
    batches.slice(0, 20).map(({ n }) => [n, 'queue_full']),
  )
  // The batch that was sent may be stored: it stays queued, to be sent again under its id.
  await expect.poll(() => publisher.queuedCount).toBe(1)
  expect(givenUp.slice(20).map(({ batch, cause }) => [batch.n, cause])).toEqual(
    batches.slice(21).map(({ n }) => [n, 'unreachable']),
  )
  await stack.engine('nats').resume()
  await expect.poll(() => acknowledged.map(({ n }) => n)).toEqual([20])
  await stop()
  expect(await storedNumbers(bus.manager)).toEqual([20])
})

test('a batch that was sent without an answer is given up after its time, as unconfirmed', async () => {
  await stack.engine('nats').pause()
  const [batch] = tickBatches({ ticks: 1, markets: 1 })
  const limits = { retryMs: 500, answerMs: 100, pauseMs: 10, finishMs: 10 }
  const { publisher, givenUp, stop } = runPublisher({ jetstream: bus.jetstream, limits })
  if (batch) publisher.publish(batch)
  await expect.poll(() => givenUp).toMatchObject([{ cause: 'unreachable', isUnconfirmed: true }])
  await stack.engine('nats').resume()
  await stop()
})

import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import type { JetStreamClient } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { FenceBroken, raiseFence } from '../../src/bus/fence.ts'
import { decodeMarketUpdate, publishMarketUpdate } from '../../src/bus/market-updates.ts'
import { prepareStreams } from '../../src/bus/streams.ts'
import { ALL_MARKETS, ARCHIVE_CONSUMER, DEAD_STREAM, MARKETS_STREAM, rowsSubject } from '../../src/bus/subjects.ts'
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

test('a batch whose acknowledgement is lost is sent again, and stored once', async () => {
  let attempts = 0
  const jetstream: Pick<JetStreamClient, 'publish'> = {
    async publish(...message) {
      const answer = await bus.jetstream.publish(...message)
      if (++attempts === 1) throw new Error('the answer is lost')
      return answer
    },
  }
  const { publisher, acknowledged, givenUp, stop } = runPublisher({ jetstream, limits: { pauseMs: 1 } })
  for (const batch of tickBatches({ ticks: 2, markets: 1 })) publisher.publish(batch)
  await expect.poll(() => acknowledged.length).toBe(2)
  await stop()
  expect(acknowledged).toEqual([
    { n: 0, isDuplicate: true },
    { n: 1, isDuplicate: false },
  ])
  expect(givenUp).toEqual([])
  expect(await storedNumbers(bus.manager)).toEqual([0, 1])
})

test('when another publisher raises its fence, the former one stops and none of its later batches is stored', async () => {
  const batches = tickBatches({ ticks: 4, markets: 1 })
  const former = runPublisher({
    jetstream: bus.jetstream,
    fence: await raiseFence(bus.jetstream, 'polymarket.1', 'former'),
  })
  for (const batch of batches.slice(0, 2)) former.publisher.publish(batch)
  await expect.poll(() => former.acknowledged.length).toBe(2)
  await bus.manager.streams.purge(ROWS, { filter: rowsSubject('polymarket.1') })

  const next = runPublisher({
    jetstream: bus.jetstream,
    fence: await raiseFence(bus.jetstream, 'polymarket.1', 'next'),
  })
  for (const batch of batches.slice(2)) former.publisher.publish(batch)
  await expect.poll(() => former.acknowledged.length + former.givenUp.length).toBe(4)
  expect(former.acknowledged).toHaveLength(2)
  await expect(former.ended).rejects.toBeInstanceOf(FenceBroken)
  expect(former.givenUp.map(({ batch, cause }) => [batch.n, cause])).toEqual([
    [2, 'fenced'],
    [3, 'fenced'],
  ])
  for (const batch of tickBatches({ ticks: 2, markets: 1, epoch: 2 })) next.publisher.publish(batch)
  await next.stop()
  expect(next.acknowledged).toHaveLength(2)
  expect(await storedNumbers(bus.manager)).toEqual([0, 1])
})

test('preparing the streams again, in parallel or with other settings, works', async () => {
  await Promise.all(
    [1, 2, 3].map(() => prepareStreams(bus.manager, { shardCounts, maxBytes: 5_000_000, ackWaitMs: 7_000 })),
  )
  const { config } = await bus.manager.streams.info(ROWS)
  expect(config).toMatchObject({ retention: 'interest', discard: 'new', max_bytes: 5_000_000, max_age: 0 })
  expect(config).toMatchObject({ storage: 'file', duplicate_window: 120e9 })
  const consumer = await bus.manager.consumers.info(ROWS, ARCHIVE_CONSUMER)
  expect(consumer.config).toMatchObject({ ack_wait: 7e9, filter_subject: 'snap.*.*' })
})

test('the stream keeps the newest update of every market', async () => {
  const resolution = { marketId: `0x${'1'.repeat(64)}`, winner: 1, resolvedAtMs: 5 } as const
  await publishMarketUpdate(bus.jetstream, { kind: 'resolved', venue: 'polymarket', resolution })
  const newer = { kind: 'resolved', venue: 'polymarket', resolution: { ...resolution, winner: 0 } } as const
  await publishMarketUpdate(bus.jetstream, newer)
  const { state } = await bus.manager.streams.info(MARKETS_STREAM)
  expect(state.messages).toBe(1)
  const message = await bus.manager.streams.getMessage(MARKETS_STREAM, { last_by_subj: ALL_MARKETS })
  expect(decodeMarketUpdate(message?.data ?? Buffer.alloc(0))).toEqual(newer)
})

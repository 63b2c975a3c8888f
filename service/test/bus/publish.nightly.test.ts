// Nightly: kills and pauses NATS.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { decodeBatch } from '../../src/bus/batch.ts'
import { FenceBroken, raiseFence } from '../../src/bus/fence.ts'
import { decodeMarketUpdate, publishMarketUpdate } from '../../src/bus/market-updates.ts'
import { type GivenUp, Publisher, type PublishLimits } from '../../src/bus/publish.ts'
import { rowStreamOf } from '../../src/bus/row-streams.ts'
import { prepareStreams } from '../../src/bus/streams.ts'
import { ALL_MARKETS, ARCHIVE_CONSUMER, DEAD_STREAM, MARKETS_STREAM, rowsSubject } from '../../src/bus/subjects.ts'
import { type Bus, openBus } from './open-bus.ts'
import { tickBatches } from './tick-batches.ts'

const shardCounts = new Map([['polymarket', 8]])
const ROWS = rowStreamOf('polymarket.1')
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

interface Run {
  publisher: Publisher
  acknowledged: { n: number; isDuplicate: boolean }[]
  givenUp: GivenUp[]
  ended: Promise<void>
  stop: () => Promise<void>
}

function runPublisher(options: {
  fence?: Awaited<ReturnType<typeof raiseFence>>
  limits?: Partial<PublishLimits>
}): Run {
  const [acknowledged, givenUp]: [Run['acknowledged'], GivenUp[]] = [[], []]
  const publisher = new Publisher({
    jetstream: bus.jetstream,
    shard: 'polymarket.1',
    ...options,
    onAcknowledged: ({ n }, { isDuplicate }) => acknowledged.push({ n, isDuplicate }),
    onGivenUp: (given) => givenUp.push(given),
  })
  const end = new AbortController()
  const ended = publisher.run(end.signal)
  ended.catch(() => {})
  const stop = () => {
    end.abort()
    return ended
  }
  return { publisher, acknowledged, givenUp, ended, stop }
}

/** The numbers of the messages in the stream, in its order. */
async function storedNumbers(): Promise<number[]> {
  const { state } = await bus.manager.streams.info(ROWS)
  const numbers: number[] = []
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await bus.manager.streams.getMessage(ROWS, { seq })
    if (message?.subject === rowsSubject('polymarket.1')) numbers.push(decodeBatch(message.data).n)
  }
  return numbers
}

test('every batch is stored once and in order although the server is killed in between', async () => {
  const batches = tickBatches({ ticks: 400, markets: 5 })
  const { publisher, acknowledged, givenUp, stop } = runPublisher({ limits: { answerMs: 500, finishMs: 20_000 } })
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
  expect(await storedNumbers()).toEqual(batches.map(({ n }) => n))
})

test('a message that is sent again after a lost acknowledgement is recognised by its id', async () => {
  const [batch] = tickBatches({ ticks: 1, markets: 1 })
  if (batch === undefined) throw new Error('no batch')
  const first = runPublisher({})
  first.publisher.publish(batch)
  await first.stop()
  const second = runPublisher({})
  second.publisher.publish(batch)
  await second.stop()
  expect([...first.acknowledged, ...second.acknowledged]).toEqual([
    { n: 0, isDuplicate: false },
    { n: 0, isDuplicate: true },
  ])
  expect(await storedNumbers()).toEqual([0])
})

test('a full stream refuses batches: the publisher reports it, gives them up, and continues when there is room', async () => {
  await prepareStreams(bus.manager, { shardCounts, maxBytes: 200_000 })
  const batches = tickBatches({ ticks: 60, markets: 40 })
  const limits = { queueMs: 1_500, pauseMs: 20 }
  const { publisher, acknowledged, givenUp, stop } = runPublisher({ limits })
  for (const batch of batches) publisher.publish(batch)
  await expect.poll(() => publisher.failure).toBe('stream_full')
  await expect.poll(() => publisher.queuedCount).toBe(0)
  expect(new Set(givenUp.map(({ cause }) => cause))).toEqual(new Set(['stream_full']))
  expect(givenUp.some(({ isUnconfirmed }) => isUnconfirmed)).toBe(false)
  const [stored, refused] = [acknowledged.map(({ n }) => n), givenUp.map(({ batch }) => batch.n)]
  expect([...stored, ...refused]).toEqual(batches.map(({ n }) => n))
  expect(await storedNumbers()).toEqual(stored)

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
  const { publisher, givenUp, acknowledged, stop } = runPublisher({ limits })
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
  expect(await storedNumbers()).toEqual([20])
})

test('a batch that was sent without an answer is given up after its time, as unconfirmed', async () => {
  await stack.engine('nats').pause()
  const [batch] = tickBatches({ ticks: 1, markets: 1 })
  const limits = { retryMs: 500, answerMs: 100, pauseMs: 10, finishMs: 10 }
  const { publisher, givenUp, stop } = runPublisher({ limits })
  if (batch) publisher.publish(batch)
  await expect.poll(() => givenUp).toMatchObject([{ cause: 'unreachable', isUnconfirmed: true }])
  await stack.engine('nats').resume()
  await stop()
})

test('when another publisher raises its fence, the former one stops and none of its later batches is stored', async () => {
  const batches = tickBatches({ ticks: 4, markets: 1 })
  const former = runPublisher({ fence: await raiseFence(bus.jetstream, 'polymarket.1', 'former') })
  for (const batch of batches.slice(0, 2)) former.publisher.publish(batch)
  await expect.poll(() => former.acknowledged.length).toBe(2)
  await bus.manager.streams.purge(ROWS, { filter: rowsSubject('polymarket.1') })

  const next = runPublisher({ fence: await raiseFence(bus.jetstream, 'polymarket.1', 'next') })
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
  expect(await storedNumbers()).toEqual([0, 1])
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

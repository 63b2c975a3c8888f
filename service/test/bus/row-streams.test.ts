import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openArchiveFeed } from '../../src/bus/archive-feed.ts'
import { raiseFence } from '../../src/bus/fence.ts'
import { listRowStreams, unarchived, untilArchived } from '../../src/bus/row-streams.ts'
import { prepareStreams } from '../../src/bus/streams.ts'
import { fenceSubject, rowsSubject } from '../../src/bus/subjects.ts'
import { shardsOf } from '../../src/domain/shards.ts'
import { type Bus, openBus } from './open-bus.ts'

const SHARDS = shardsOf('polymarket', 20)
const shardCounts = new Map([
  ['polymarket', 20],
  ['kalshi', 4],
])
let stack: Stack
let bus: Bus
beforeAll(async () => {
  stack = await borrowStack({ engines: ['nats'] })
})
afterAll(() => stack.stop())
beforeEach(async () => {
  bus = await openBus(stack, { shardCounts, maxBytes: 24_000_000 })
})
afterEach(async () => {
  for (const name of await listRowStreams(bus.manager)) await bus.manager.streams.delete(name)
  await bus.connection.close()
})

const publish = (shard: string, text: string, fence?: number) =>
  bus.jetstream.publish(rowsSubject(shard), text, {
    ...(fence !== undefined && {
      expect: { lastSubjectSequence: fence, lastSubjectSequenceSubject: fenceSubject(shard) },
    }),
  })

/** Everything that an archive gets, acknowledged. */
async function archived(count: number): Promise<string[]> {
  const feed = await openArchiveFeed(bus.jetstream)
  const texts: string[] = []
  while (texts.length < count) {
    for (const delivery of await feed.next(8)) {
      expect(await delivery.acknowledge()).toBe(true)
      texts.push(new TextDecoder().decode(delivery.bytes))
    }
  }
  for (const delivery of await feed.rest()) delivery.giveBack(0)
  return texts
}

test('eight shards share a stream, with their rows and fences, and each stream has its part of the bytes', async () => {
  expect((await listRowStreams(bus.manager)).sort()).toEqual([
    'rows-kalshi-0',
    'rows-polymarket-0',
    'rows-polymarket-1',
    'rows-polymarket-2',
  ])
  const { config } = await bus.manager.streams.info('rows-polymarket-1')
  expect(config).toMatchObject({ retention: 'interest', max_bytes: 8_000_000, max_msg_size: -1 })
  const own = shardsOf('polymarket', 16).slice(8)
  expect(config.subjects.toSorted()).toEqual(own.flatMap((shard) => [rowsSubject(shard), fenceSubject(shard)]).sort())
  expect((await bus.manager.streams.info('rows-polymarket-2')).config.max_bytes).toBe(4_000_000)
})

test('an archive gets the rows of all streams, many of one and few of others, each shard in order', async () => {
  const busy = Array.from({ length: 60 }, (_, n) => `polymarket.0 ${n}`)
  for (const text of busy) await publish('polymarket.0', text)
  for (const shard of [...SHARDS.slice(1), 'kalshi.3']) await publish(shard, shard)
  const texts = await archived(80)
  expect(texts.filter((text) => text.startsWith('polymarket.0 '))).toEqual(busy)
  expect(texts.toSorted()).toEqual([...busy, ...SHARDS.slice(1), 'kalshi.3'].sort())
  expect(await unarchived(bus.manager)).toSatisfy((all: { messages: number }[]) => all.every((each) => !each.messages))
})

test('what a feed has received and not returned is known, and returned at the end', async () => {
  for (const shard of SHARDS) await publish(shard, shard)
  const feed = await openArchiveFeed(bus.jetstream)
  const received = [...(await feed.next(2)), ...(await feed.rest())]
  expect(feed.waiting).toEqual([])
  const held = await Promise.all(
    (await listRowStreams(bus.manager)).map(async (stream) => {
      return (await bus.manager.consumers.info(stream, 'archive')).num_ack_pending
    }),
  )
  expect(held.reduce((sum, each) => sum + each, 0)).toBe(received.length)
  await Promise.all(received.map((delivery) => delivery.acknowledge()))
})

test('rows that are in the streams now are waited for, and later ones are not', async () => {
  await publish('polymarket.3', 'a')
  expect(await untilArchived(bus.manager, 100)).toBe(false)
  const waiting = untilArchived(bus.manager, 60_000)
  await archived(1)
  await publish('polymarket.3', 'b')
  expect(await waiting).toBe(true)
})

test('fences stay in the stream when all rows are archived', async () => {
  const { sequence } = await raiseFence(bus.jetstream, 'polymarket.9', 'me')
  await publish('polymarket.9', 'a', sequence)
  await archived(1)
  await publish('polymarket.9', 'b', sequence)
  await raiseFence(bus.jetstream, 'polymarket.9', 'another')
  await expect(publish('polymarket.9', 'c', sequence)).rejects.toThrow('wrong last sequence')
})

test('other settings make other streams; rows in the former ones are archived, and then these are removed', async () => {
  for (const shard of SHARDS) await publish(shard, `${shard} before`)
  const changed = { shardCounts: new Map([['polymarket', 20]]), shardsPerStream: 5, maxBytes: 24_000_000 }
  await prepareStreams(bus.manager, changed)
  for (const shard of SHARDS) await publish(shard, `${shard} after`)
  const both = SHARDS.flatMap((shard) => [`${shard} before`, `${shard} after`])
  expect((await archived(40)).toSorted()).toEqual(both.sort())
  await prepareStreams(bus.manager, { ...changed, shardCounts: new Map([['polymarket', 5]]) })
  expect(await listRowStreams(bus.manager)).toEqual(['rows-polymarket-0'])
})

test('the one stream of an older version gives its subjects to the new ones, and its rows are archived', async () => {
  for (const name of await listRowStreams(bus.manager)) await bus.manager.streams.delete(name)
  await bus.manager.streams.add({ name: 'rows', subjects: ['snap.*.*', 'fence.*.*'], retention: 'workqueue' })
  await bus.manager.consumers.add('rows', {
    durable_name: 'archive',
    ack_policy: 'explicit',
    filter_subject: 'snap.*.*',
  })
  await publish('polymarket.0', 'former')
  await prepareStreams(bus.manager, { shardCounts })
  await publish('polymarket.0', 'new')
  expect((await archived(2)).toSorted()).toEqual(['former', 'new'])
  await prepareStreams(bus.manager, { shardCounts })
  expect(await listRowStreams(bus.manager)).not.toContain('rows')
})

// Nightly: kills engines or processes and waits for their return.
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type NewestRow, NewestRows } from '../../src/stores/books/newest-rows.ts'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { type HotBatch, runHot } from '../../src/workers/hot.ts'
import { marketIdOf, rowOf } from '../newest-rows/snapshot-rows.ts'
import { untilReady } from '../newest-rows/until-ready.ts'
import { PushedItems } from './pushed-items.ts'

const ANSWER_WITHIN_MS = 1_000

let stack: Stack
let redis: RedisConnection
let newestRows: NewestRows
beforeAll(async () => {
  stack = await borrowStack({ engines: ['redis'] })
  redis = new RedisConnection({ url: stack.variable('REDIS_URL'), answerWithinMs: ANSWER_WITHIN_MS })
  newestRows = new NewestRows(redis)
  await untilReady(redis)
})
afterAll(async () => {
  await redis.close()
  await stack.stop()
})

let batches: PushedItems<HotBatch>
let counts: { stored: number; dropped: number; failed: number }
let stopping: AbortController
let running: Promise<void>
beforeEach(() => {
  batches = new PushedItems()
  counts = { stored: 0, dropped: 0, failed: 0 }
  stopping = new AbortController()
  const meter = {
    stored: (rows: number) => (counts.stored += rows),
    dropped: (rows: number) => (counts.dropped += rows),
    failed: () => counts.failed++,
  }
  running = runHot({ batches, newestRows, meter, retryAfterMs: 20 }, stopping.signal)
})
afterEach(async () => {
  stopping.abort()
  await running
})

let run = 0
const marketsOf = (count: number) => {
  run++
  return Array.from({ length: count }, (_, n) => marketIdOf(`hot ${run} ${n}`))
}
const batchOf = (rows: NewestRow[]): HotBatch => ({ snapshots: rows, perps: [] })
const newestSlot = async (id: string) => (await newestRows.read(id))[0]?.slot

test('an unresponsive store never blocks the bus: older rows are dropped and counted, and afterwards the newest are there', async () => {
  const ids = marketsOf(50)
  await stack.engine('redis').pause()
  try {
    for (let slot = 1; slot <= 40; slot++) {
      batches.push(batchOf(ids.map((id) => rowOf(id, slot))))
      await expect.poll(() => batches.takenCount, { interval: 1 }).toBe(slot)
    }
    await expect.poll(() => counts.failed).toBeGreaterThan(0)
    await expect.poll(() => counts.dropped).toBe(50 * 35)
    expect(counts.stored).toBe(0)
  } finally {
    await stack.engine('redis').resume()
  }
  await expect.poll(() => counts.stored).toBe(50 * 5)
  const held = await newestRows.readMany(ids, 5)
  expect(held.size).toBe(50)
  for (const rows of held.values()) expect(rows.map(({ slot }) => slot)).toEqual([40, 39, 38, 37, 36])
  expect(counts.stored + counts.dropped).toBe(50 * 40)
})

test('a killed store is filled again by itself when it is back', async () => {
  const ids = marketsOf(3)
  await stack.engine('redis').kill()
  batches.push(batchOf(ids.map((id) => rowOf(id, 1))))
  await expect.poll(() => counts.failed).toBeGreaterThan(0)
  await stack.engine('redis').restart()
  batches.push(batchOf(ids.map((id) => rowOf(id, 2))))
  await expect.poll(() => newestSlot(ids[2] ?? '').catch(() => undefined)).toBe(2)
  expect(counts.dropped).toBe(0)
})

test('a waiting row is a copy: the buffer of its message may be reused', async () => {
  const [id = ''] = marketsOf(1)
  await stack.engine('redis').pause()
  const message = Buffer.from(rowOf(id, 7).bytes)
  try {
    batches.push(batchOf([rowOf(id, 6)]))
    await expect.poll(() => counts.failed).toBeGreaterThan(0)
    batches.push(batchOf([{ marketId: id, slot: 7, schema: 1, bytes: message.subarray() }]))
    await expect.poll(() => batches.takenCount).toBe(2)
    message.fill(0)
  } finally {
    await stack.engine('redis').resume()
  }
  await expect.poll(() => newestSlot(id).catch(() => undefined)).toBe(7)
})

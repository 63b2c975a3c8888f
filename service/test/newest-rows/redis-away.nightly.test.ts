// Nightly: kills an engine and measures in seconds.
// Covers: service/src/stores/ service/test/newest-rows/
import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NewestRows } from '../../src/stores/books/newest-rows.ts'
import { sendFor } from '../../src/stores/engines/redis-client.ts'
import { RedisConnection, RedisUnavailable } from '../../src/stores/engines/redis-connection.ts'
import { marketIdOf, rowOf } from './snapshot-rows.ts'
import { untilReady } from './until-ready.ts'

const ANSWER_WITHIN_MS = 3_000
/** The timeout, plus a reserve for a busy machine. */
const PATIENCE_MS = ANSWER_WITHIN_MS + 30_000

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

async function expectUnavailable(call: Promise<unknown>, withinMs = PATIENCE_MS): Promise<void> {
  const sinceMs = performance.now()
  await expect(call).rejects.toBeInstanceOf(RedisUnavailable)
  expect(performance.now() - sinceMs).toBeLessThan(withinMs)
}

test('Redis killed: every call fails fast with RedisUnavailable, and works again after the restart', async () => {
  const id = marketIdOf('killed')
  await newestRows.put([rowOf(id, 1)])
  await stack.engine('redis').kill()
  await expectUnavailable(newestRows.put([rowOf(id, 2)]))
  await expectUnavailable(newestRows.read(id))
  await expectUnavailable(newestRows.readMany([id]))
  await stack.engine('redis').restart()
  await untilReady(redis)
  await newestRows.put([rowOf(id, 3)])
  expect((await newestRows.read(id))[0]?.slot).toBe(3)
})

test('Redis unresponsive: a call times out, the next ones fail at once, and calls succeed again after it resumes', async () => {
  const id = marketIdOf('mute')
  await newestRows.put([rowOf(id, 1)])
  await stack.engine('redis').pause()
  try {
    await expectUnavailable(newestRows.put([rowOf(id, 2)]))
    await Promise.all(Array.from({ length: 50 }, () => expectUnavailable(newestRows.read(id), ANSWER_WITHIN_MS / 2)))
  } finally {
    await stack.engine('redis').resume()
  }
  await untilReady(redis)
  await newestRows.put([rowOf(id, 3)])
  const [newest] = await newestRows.read(id)
  expect(newest?.slot).toBe(3)
})

test('a command that Redis rejects is not an outage', async () => {
  const call = redis.ask((client) => sendFor(client, 'only-a-key', ['LPUSH', 'only-a-key']))
  await expect(call).rejects.not.toBeInstanceOf(RedisUnavailable)
  expect(redis.isReady).toBe(true)
})

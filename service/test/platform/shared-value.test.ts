import type { Stack } from '@bookreel/stack/start-stack'
import { borrowStack } from '@bookreel/testbed/stacks/borrow-stack'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { RedisConnection } from '../../src/stores/engines/redis-connection.ts'
import { SharedValue } from '../../src/stores/platform/shared-value.ts'
import { untilReady } from '../newest-rows/until-ready.ts'

const MEMORY = { freshForMs: 60_000, servesForMs: 600_000, nowMs: () => WORLD_NOW_MS }

let stack: Stack
let one: RedisConnection
let other: RedisConnection

beforeAll(async () => {
  stack = await borrowStack({ engines: ['redis'] })
  one = new RedisConnection({ url: stack.variable('REDIS_URL'), answerWithinMs: 5_000 })
  other = new RedisConnection({ url: stack.variable('REDIS_URL'), answerWithinMs: 5_000 })
  await Promise.all([untilReady(one), untilReady(other)])
})
afterAll(async () => {
  await one?.close()
  await other?.close()
  await stack?.stop()
})

/** The same value in two processes. */
function pair<T>(name: string, make: () => Promise<T>, memory = MEMORY): [SharedValue<T>, SharedValue<T>] {
  return [new SharedValue(one, { name, make, ...memory }), new SharedValue(other, { name, make, ...memory })]
}

test('processes that ask at the same time and later share one computation', async () => {
  const slow = Promise.withResolvers<string>()
  const make = vi.fn(() => slow.promise)
  const [mine, theirs] = pair('computed-once', make)
  const both = Promise.all([mine.read(), theirs.read()])
  await vi.waitUntil(() => make.mock.calls.length > 0)
  slow.resolve('counted')
  expect((await both).map(({ value }) => value)).toEqual(['counted', 'counted'])
  const { value, madeAtMs } = await theirs.read()
  expect(value).toBe('counted')
  expect(madeAtMs).toBeLessThanOrEqual(WORLD_NOW_MS)
  expect(make).toHaveBeenCalledTimes(1)
})

test('an old value is returned while another process computes a new one', async () => {
  const make = vi.fn(async () => 'first')
  const [mine, theirs] = pair('old-meanwhile', make, { ...MEMORY, freshForMs: 0 })
  await mine.read()
  const second = Promise.withResolvers<string>()
  make.mockReturnValueOnce(second.promise)
  const computed = mine.read()
  await vi.waitUntil(() => make.mock.calls.length === 2)
  expect((await theirs.read()).value).toBe('first')
  second.resolve('second')
  expect((await computed).value).toBe('second')
  expect(make).toHaveBeenCalledTimes(2)
})

test('when the process that computes fails, another one computes', async () => {
  const failing = Promise.withResolvers<string>()
  const make = vi.fn(async () => 'counted').mockReturnValueOnce(failing.promise)
  const [mine, theirs] = pair('failed-once', make)
  const failed = mine.read()
  await vi.waitUntil(() => make.mock.calls.length === 1)
  const waiting = theirs.read()
  failing.reject(new Error('ClickHouse is away'))
  await expect(failed).rejects.toThrow('ClickHouse is away')
  expect((await waiting).value).toBe('counted')
})

test('when no process can compute, the older value is returned as long as it is kept', async () => {
  const make = vi.fn(async () => 'counted')
  const [mine, theirs] = pair('old-is-better', make, { ...MEMORY, freshForMs: 0 })
  await mine.read()
  make.mockRejectedValue(new Error('ClickHouse is away'))
  expect((await theirs.read()).value).toBe('counted')
})

test('a process that computed for too long does not replace the newer value of another one', async () => {
  const late = Promise.withResolvers<string>()
  const make = vi.fn(async () => 'new').mockReturnValueOnce(late.promise)
  const [mine, theirs] = pair('late', make)
  const slow = mine.read()
  await vi.waitUntil(() => make.mock.calls.length === 1)
  await one.ask((client) => client.del('public:{late}:1:maker'))
  expect((await theirs.read()).value).toBe('new')
  late.resolve('old')
  expect((await slow).value).toBe('old')
  expect((await mine.read()).value).toBe('new')
})

test.each([
  ['is no JSON', 'x', MEMORY.servesForMs],
  ['has another form', '[]', MEMORY.servesForMs],
  ['would be kept for too long', '{"tookMs":0,"value":"wrong"}', 10 * MEMORY.servesForMs],
])('a stored value that %s is computed anew', async (_, text, keptMs) => {
  const name = `wrong-${keptMs}-${text.length}`
  await one.ask((client) => client.set(`public:{${name}}:1`, text, { expiration: { type: 'PX', value: keptMs } }))
  const [mine] = pair(name, async () => 'counted')
  expect((await mine.read()).value).toBe('counted')
})

test('without Redis every process computes its own value', async () => {
  const away = new RedisConnection({ url: 'redis://127.0.0.1:1' })
  const make = vi.fn(async () => 'counted')
  const options = { name: 'away', make, ...MEMORY }
  try {
    expect((await new SharedValue(away, options).read()).value).toBe('counted')
    expect((await new SharedValue(away, options).read()).value).toBe('counted')
    expect(make).toHaveBeenCalledTimes(2)
  } finally {
    await away.close()
  }
})

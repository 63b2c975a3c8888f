import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { AccountConcurrency } from './account-concurrency.ts'

test('four requests of an account run at once, further ones wait in order, and accounts do not block each other', async () => {
  const concurrency = new AccountConcurrency()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const request = (name: string, account = 'one'): Promise<void> =>
    concurrency.take(account, () => {
      begun.push(name)
      return new Promise((resolve) => ends.push(resolve))
    })
  const requested = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => request(name))
  requested.push(request('other', 'two'))
  await nextTurn()
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'other'])
  ends[1]?.()
  await nextTurn()
  expect(begun.at(-1)).toBe('e')
  while (ends.length > 0) {
    for (const end of ends.splice(0)) end()
    await nextTurn()
  }
  await Promise.all(requested)
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'other', 'e', 'f'])
})

test('requests beyond the queue limit are refused, and a failed request frees its place', async () => {
  const concurrency = new AccountConcurrency()
  const { promise, reject } = Promise.withResolvers<never>()
  const requested = Array.from({ length: 104 }, () => concurrency.take('one', () => promise))
  await expect(concurrency.take('one', async () => {})).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 1,
  })
  reject(new Error('broken'))
  await Promise.allSettled(requested)
  expect(await concurrency.take('one', async () => 'free again')).toBe('free again')
})

test('a request that waits too long is refused and frees its place', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const concurrency = new AccountConcurrency()
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = Array.from({ length: 4 }, () => concurrency.take('one', () => promise))
  const refused = expect(concurrency.take('one', async () => {})).rejects.toMatchObject({ code: 'overloaded' })
  await vi.advanceTimersByTimeAsync(3_001)
  await refused
  resolve()
  await Promise.all(running)
  expect(await concurrency.take('one', async () => 'free again')).toBe('free again')
})

test('a place is kept until what it started has ended, also when its request has ended before', async () => {
  const concurrency = new AccountConcurrency()
  const built = Promise.withResolvers<void>()
  const abandoned = Array.from({ length: 4 }, () =>
    concurrency.take('one', async (hold) => {
      hold(built.promise)
      throw new Error('the caller left')
    }),
  )
  for (const each of abandoned) await expect(each).rejects.toThrow('the caller left')
  let isRunning = false
  const next = concurrency.take('one', async () => {
    isRunning = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isRunning).toBe(false)
  built.resolve()
  await next
  expect(isRunning).toBe(true)
})

test.each([
  [2, 2],
  [3, 1],
  [9, 1],
])('of %i nodes each runs %i requests of an account at once', async (nodes, most) => {
  const concurrency = new AccountConcurrency(() => nodes)
  let [running, seen] = [0, 0]
  const work = async (): Promise<void> => {
    seen = Math.max(seen, ++running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running--
  }
  await Promise.all(Array.from({ length: 8 }, () => concurrency.take('one', work)))
  expect(seen).toBe(most)
})

test('a pause of the process does not time out waiting requests', async () => {
  const concurrency = new AccountConcurrency()
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = Array.from({ length: 4 }, () => concurrency.take('one', () => promise))
  const waiting = concurrency.take('one', async () => 'answered')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500)
  // Timers fire first after the pause; running work finishes one event loop turn later.
  setImmediate(() => setImmediate(resolve))
  expect(await waiting).toBe('answered')
  await Promise.all(running)
})

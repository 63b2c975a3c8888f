import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { AccountConcurrency } from './account-concurrency.ts'

test('four at once, the others in their order, and nobody waits behind another account', async () => {
  const turns = new AccountConcurrency()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (name: string, account = 'one'): Promise<void> =>
    turns.take(account, () => {
      begun.push(name)
      return new Promise((resolve) => ends.push(resolve))
    })
  const asked = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ask(name))
  asked.push(ask('other', 'two'))
  await nextTurn()
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'other'])
  ends[1]?.()
  await nextTurn()
  expect(begun.at(-1)).toBe('e')
  while (ends.length > 0) {
    for (const end of ends.splice(0)) end()
    await nextTurn()
  }
  await Promise.all(asked)
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'other', 'e', 'f'])
})

test('too many waiting are refused, and a failure gives its place on', async () => {
  const turns = new AccountConcurrency()
  const { promise, reject } = Promise.withResolvers<never>()
  const asked = Array.from({ length: 104 }, () => turns.take('one', () => promise))
  await expect(turns.take('one', async () => {})).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 })
  reject(new Error('broken'))
  await Promise.allSettled(asked)
  expect(await turns.take('one', async () => 'free again')).toBe('free again')
})

test('who waits too long is told so, and leaves no hole behind', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const turns = new AccountConcurrency()
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = Array.from({ length: 4 }, () => turns.take('one', () => promise))
  const refused = expect(turns.take('one', async () => {})).rejects.toMatchObject({ code: 'overloaded' })
  await vi.advanceTimersByTimeAsync(3_001)
  await refused
  resolve()
  await Promise.all(running)
  expect(await turns.take('one', async () => 'free again')).toBe('free again')
})

test('a pause of the process refuses nobody who waits', async () => {
  const turns = new AccountConcurrency()
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = Array.from({ length: 4 }, () => turns.take('one', () => promise))
  const waiting = turns.take('one', async () => 'answered')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500)
  // What was running is read in the turn after the pause, when timers have had theirs.
  setImmediate(() => setImmediate(resolve))
  expect(await waiting).toBe('answered')
  await Promise.all(running)
})

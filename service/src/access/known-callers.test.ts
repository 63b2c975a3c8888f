import { expect, test } from 'vitest'
import { StoreAway } from './breaker.ts'
import type { Caller } from './caller.ts'
import { KnownCallers } from './known-callers.ts'

test('many unknown keys do not displace the callers that are needed while the store is away', async () => {
  const callers = new KnownCallers(() => 0)
  await callers.get('customer', async () => ({ keyId: 'k' }) as Caller)
  for (let guess = 0; guess < 60_000; guess++) await callers.get(`guess ${guess}`, async () => null)
  expect(callers.known('customer')).toBeDefined()
})

test('5,000 concurrent lookups of a key are one query', async () => {
  const callers = new KnownCallers(() => 0)
  let queries = 0
  const load = async (): Promise<Caller> => {
    queries++
    return { keyId: 'k' } as Caller
  }
  await Promise.all(Array.from({ length: 5_000 }, () => callers.get('customer', load)))
  expect(queries).toBe(1)
})

test('while the store is away, a key that was valid is used for a minute or until it ends, and no other key', async () => {
  let nowMs = 0
  const callers = new KnownCallers(() => nowMs)
  const away = new StoreAway('no answer')
  const [lasting, ending] = [{ keyId: 'k' } as Caller, { keyId: 'e', end: { atMs: 30_000, of: 'key' } } as Caller]
  await callers.get('lasting', async () => lasting)
  await callers.get('ending', async () => ending)
  await callers.get('revoked', async () => null)
  const answers = () =>
    Promise.all(['lasting', 'ending', 'revoked', 'new'].map((key) => callers.get(key, async () => away)))
  nowMs = 29_999
  expect(await answers()).toEqual([lasting, ending, away, away])
  nowMs = 59_999
  expect(await answers()).toEqual([lasting, away, away, away])
  nowMs = 60_000
  expect(await answers()).toEqual([away, away, away, away])
})

import { expect, test } from 'vitest'
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

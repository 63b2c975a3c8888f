import { expect, test } from 'vitest'
import { creditLimitOf, endOfDay, isIdle, isWorking, keyLimitText, lastDayOf } from './key-facts.ts'

const NOW_MS = Date.parse('2026-11-18T12:00:00Z')

test('a key works on the whole of its last day', () => {
  expect(endOfDay('2026-11-30')).toBe('2026-12-01T00:00:00.000Z')
  expect(lastDayOf(endOfDay('2026-11-30'))).toBe('2026-11-30')
  expect(isWorking({ expiresAt: endOfDay('2026-11-18') }, NOW_MS)).toBe(true)
  expect(isWorking({ expiresAt: endOfDay('2026-11-17') }, NOW_MS)).toBe(false)
  expect(isWorking({ expiresAt: null }, NOW_MS)).toBe(true)
})

test('a new key that was never used is not idle', () => {
  const old = '2026-09-01T00:00:00Z'
  expect(isIdle({ createdAt: '2026-11-18T00:00:00Z', lastUsedAt: null }, NOW_MS)).toBe(false)
  expect(isIdle({ createdAt: old, lastUsedAt: null }, NOW_MS)).toBe(true)
  expect(isIdle({ createdAt: old, lastUsedAt: '2026-11-17T00:00:00Z' }, NOW_MS)).toBe(false)
})

test('the limit is explained when it is reached', () => {
  expect(keyLimitText('pro', 4, 5)).toBeUndefined()
  expect(keyLimitText('pro', 5, 5)).toContain('allows 5 working keys')
  expect(keyLimitText('free', 1, 1)).toContain('allows 1 working key.')
})

test('an empty credit limit is none, and 0 is a limit', () => {
  expect(creditLimitOf(' ')).toBeUndefined()
  expect(creditLimitOf('0')).toBe(0)
})

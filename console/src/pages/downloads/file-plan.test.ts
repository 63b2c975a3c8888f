import type { HourReport } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { priceOf } from './file-plan.ts'

const NOW_MS = Date.parse('2026-11-18T12:00:00Z')
const report = { credits: 3 } as HourReport

test('a file that was bought is free until shortly before its time is over, and then has its price again', () => {
  const freeUntil = new Date(NOW_MS).toISOString()
  expect(priceOf({ report, freeUntil }, NOW_MS - 120_000)).toBe(0)
  expect(priceOf({ report, freeUntil }, NOW_MS - 30_000)).toBe(3)
  expect(priceOf({ report, freeUntil }, NOW_MS + 1)).toBe(3)
  expect(priceOf({ report, freeUntil: undefined }, NOW_MS)).toBe(3)
})

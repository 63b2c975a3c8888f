import { expect, test } from 'vitest'
import { waitBeforeTest } from '../src/clear-of-window-end.ts'

const NOON_MS = Date.UTC(2026, 10, 16, 12, 0)

test.each([
  ['in the middle of a window', NOON_MS + 120_000, 0],
  ['when the window ends during the test', NOON_MS + 280_000, 25_000],
  ['when a window has just opened', NOON_MS + 2_000, 3_000],
])('%s, the wait is as long as needed', (_, nowMs, waitsMs) => {
  expect(waitBeforeTest(30_000, nowMs)).toBe(waitsMs)
})

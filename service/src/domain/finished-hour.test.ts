import { expect, test } from 'vitest'
import { availableAtMs, newestFinishedHourMs } from './finished-hour.ts'

const at = (clock: string): number => Date.parse(`2026-11-15T${clock}Z`)

test('the file of an hour is available five minutes after its end', () => {
  expect(availableAtMs(at('12:00:00'))).toBe(at('13:05:00'))
})

test.each([
  ['13:04:59', '11:00:00'],
  ['13:05:00', '12:00:00'],
  ['13:59:59', '12:00:00'],
])('at %s the newest finished hour is %s', (now, hour) => {
  expect(newestFinishedHourMs(at(now))).toBe(at(hour))
  expect(availableAtMs(newestFinishedHourMs(at(now)))).toBeLessThanOrEqual(at(now))
})

import { expect, test, vi } from 'vitest'
import { readTime } from './time-input.ts'

const AROUND = Date.parse('2026-11-18T12:04:07.250Z')
const read = (text: string): string | undefined => {
  const ms = readTime(text, AROUND, 'utc')
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

test.each([
  ['15:04', '2026-11-18T15:04:00.000Z'],
  [' 9:04 ', '2026-11-18T09:04:00.000Z'],
  ['15:04:05', '2026-11-18T15:04:05.000Z'],
  ['15:04:05.25', '2026-11-18T15:04:05.250Z'],
  ['00:00', '2026-11-18T00:00:00.000Z'],
  ['-20m', '2026-11-18T11:44:07.250Z'],
  ['+90s', '2026-11-18T12:05:37.250Z'],
  ['-1.5h', '2026-11-18T10:34:07.250Z'],
  ['-250ms', '2026-11-18T12:04:07.000Z'],
  ['1763460000', '2025-11-18T10:00:00.000Z'],
  ['1763460000250', '2025-11-18T10:00:00.250Z'],
  ['2026-11-17', '2026-11-17T00:00:00.000Z'],
  ['2026-11-17 10:30', '2026-11-17T10:30:00.000Z'],
  ['2026-11-17T10:30:00.5Z', '2026-11-17T10:30:00.500Z'],
  ['2026-11-17T10:30+02:00', '2026-11-17T08:30:00.000Z'],
])('%s is a time', (text, time) => {
  expect(read(text)).toBe(time)
})

test.each(['', 'soon', '24:00', '12:60', '12:00:60', '20m', '-20', '2026-02-30', '2026-13-01', '17', '12:4'])(
  '%s is no time',
  (text) => {
    expect(read(text)).toBeUndefined()
  },
)

test('with local times, a time without an offset is the one that the page shows', () => {
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const local = (text: string): string => new Date(readTime(text, AROUND, 'local') ?? Number.NaN).toISOString()
  expect(local('15:04')).toBe('2026-11-18T06:04:00.000Z')
  expect(local('2026-11-18 15:04')).toBe('2026-11-18T06:04:00.000Z')
  expect(local('2026-11-18')).toBe('2026-11-17T15:00:00.000Z')
  expect(local('2026-11-18T15:04Z')).toBe('2026-11-18T15:04:00.000Z')
  vi.unstubAllEnvs()
})

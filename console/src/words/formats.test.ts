import { expect, test } from 'vitest'
import { bytesText, countText, dayText, durationText, instantText, percentText, plainText, usdText } from './formats.ts'

test('times are in UTC and say so', () => {
  expect(instantText('2026-11-18T23:05:09Z', 'utc')).toBe('18 Nov 2026, 23:05 UTC')
  expect(dayText('2026-11-18T23:59:59Z', 'utc')).toBe('18 Nov 2026')
  expect(instantText('2026-11-18T23:05:09Z', 'local')).toMatch(/ local$/)
})

test('a percentage is never rounded up', () => {
  expect(percentText(99.999)).toBe('99.99 %')
  expect(percentText(100)).toBe('100.00 %')
})

test('durations have one unit, rounded down', () => {
  const durations = [-5, 59_999, 119_000, 3_600_000, 90_000_000, 200_000_000].map(durationText)
  expect(durations).toEqual(['0 s', '59 s', '1 min', '1 h', '1 day', '2 days'])
})

test('prices have cents only when they need them', () => {
  expect([5, 17.5, 1234].map(usdText)).toEqual(['$5', '$17.50', '$1,234'])
})

test('characters that change the direction of text, or nothing at all, are left out', () => {
  expect(plainText('a\u202eb\u0000c\u200bd')).toBe('abcd')
  expect(plainText('日本 é')).toBe('日本 é')
})

test('counts have one or many, and sizes the largest unit', () => {
  expect([0, 1, 2_000].map((count) => countText(count, 'file'))).toEqual(['0 files', '1 file', '2,000 files'])
  expect([0, 999, 1_000, 1_250_000, 3e15].map(bytesText)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 kB',
    '1.3 MB',
    '3000.0 TB',
  ])
})

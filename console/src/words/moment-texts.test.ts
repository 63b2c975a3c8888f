import { expect, test } from 'vitest'
import { creditsText, lengthText, momentText } from './moment-texts.ts'

test('moments have their day, and milliseconds where they matter', () => {
  const ms = Date.parse('2026-11-18T12:04:07.250Z')
  expect(momentText(ms, 'utc')).toBe('2026-11-18 12:04:07 UTC')
  expect(momentText(ms, 'utc', 3)).toBe('2026-11-18 12:04:07.250 UTC')
  expect(momentText(ms, 'local', 3)).toMatch(/^2026-11-1[789] \d\d:\d\d:07\.250 local$/)
})

test('lengths are as people say them', () => {
  const lengths = [250, 2_500, 45_000, 60_000, 125_000, 1_800_000, 3_600_000, 3_900_000]
  expect(lengths.map(lengthText)).toEqual([
    '0.3 s',
    '2.5 s',
    '45 s',
    '1 min',
    '2 min 5 s',
    '30 min',
    '1 h',
    '1 h 5 min',
  ])
})

test('credits are counted', () => {
  expect([0, 1, 15, 1_500].map(creditsText)).toEqual(['free', '1 credit', '15 credits', '1,500 credits'])
})

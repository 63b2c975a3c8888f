import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EARLIEST_MS, END_MS, momentMs } from './moment.ts'

const anyText = fc.oneof(
  fc.string(),
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.double().map(String),
)

test('any text is a time within the bounds or none', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const ms = momentMs(text)
      if (ms === undefined) return
      expect(Number.isSafeInteger(ms)).toBe(true)
      expect(ms).toBeGreaterThanOrEqual(EARLIEST_MS)
      expect(ms).toBeLessThan(END_MS)
    }),
    { examples: [['0'], ['999999999999999'], ['2019-12-31T23:59:59Z'], ['2100-01-01T00:00:00Z']] },
  )
})

test('a time has the same moment in every form', () => {
  const ms = Date.parse('2026-11-15T12:00:00Z')
  for (const text of ['2026-11-15T12:00:00Z', '2026-11-15T13:00+01:00', String(ms), String(ms / 1_000)])
    expect(momentMs(text), text).toBe(ms)
})

test.each([
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-06-30T23:59:60Z',
  '2026-11-15T25:00:00Z',
  '2026-11-15T12:00:00',
  '+012026-11-15T12:00:00Z',
  '1e12',
  'NaN',
  'Infinity',
  '-1',
  '',
])('what no calendar and no clock has is no time: %j', (text) => {
  expect(momentMs(text)).toBeUndefined()
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EARLIEST_MS, END_MS, momentMs } from './moment.ts'

const SECOND = { min: EARLIEST_MS / 1_000, max: END_MS / 1_000 - 1 }

test('a time within the bounds is read from text with an offset, milliseconds and seconds', () => {
  fc.assert(
    fc.property(fc.integer(SECOND), fc.integer({ min: 0, max: 999 }), (second, rest) => {
      const ms = second * 1_000 + rest
      expect(momentMs(new Date(ms).toISOString())).toBe(ms)
      expect(momentMs(String(ms))).toBe(ms)
      expect(momentMs(String(second))).toBe(second * 1_000)
    }),
  )
})

test('no text is read as a time outside of the bounds', () => {
  const digits = fc.stringMatching(/^[0-9]{1,20}$/)
  const dateLike = fc.stringMatching(
    /^[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})$/,
  )
  fc.assert(
    fc.property(fc.oneof(digits, dateLike, fc.string(), fc.double().map(String)), (text) => {
      const ms = momentMs(text)
      if (ms !== undefined) expect(ms >= EARLIEST_MS && ms < END_MS).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  ...['NaN', 'Infinity', '-1', '1e12', '0x10', '1699999999999.5', '', ' ', 'now', 'yesterday', '٢٠٢٦'],
  ...['1969-12-31T23:59:59Z', '2019-12-31T23:59:59Z', '2100-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  ...['10000-01-01T00:00:00Z', '+012026-01-01T00:00:00Z', '-002026-01-01T00:00:00Z'],
  ...['2026-02-29T00:00:00Z', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-00-10T00:00:00Z'],
  ...['2026-01-01T24:01:00Z', '2026-01-01T12:60:00Z', '2026-01-01T12:00:60Z', '2016-12-31T23:59:60Z'],
  ...['2026-01-01', '2026-01-01T00:00:00', '2026-01-01 00:00:00Z', '2026-01-01T00:00:00+99:00', '2026-01-01T00:00Z\n'],
  ...['0', '1', '1577836799', '4102444800', '4102444800000', '99999999999999', '999999999999999'],
])('%j is no time', (text) => {
  expect(momentMs(text)).toBeUndefined()
})

test('a change of the clock makes no difference: the offset decides', () => {
  expect(momentMs('2026-10-25T02:30:00+02:00')).toBe(Date.UTC(2026, 9, 25, 0, 30))
  expect(momentMs('2026-10-25T02:30:00+01:00')).toBe(Date.UTC(2026, 9, 25, 1, 30))
})

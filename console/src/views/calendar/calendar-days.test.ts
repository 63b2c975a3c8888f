import { expect, test } from 'vitest'
import { dayOf, lastYear, monthStart, movedDay, stripsOf, weeksOf } from './calendar-days.ts'

const YEAR = lastYear(Date.parse('2026-11-18T23:59:59Z'))

test('a year ends today and has 365 days, in weeks that begin on Monday', () => {
  expect(YEAR).toEqual({ first: '2025-11-19', last: '2026-11-18' })
  const weeks = weeksOf(YEAR)
  const days = weeks.flat().filter((day) => day !== undefined)
  expect(days).toHaveLength(365)
  expect(days).toEqual(days.toSorted())
  for (const week of weeks) {
    expect(week).toHaveLength(7)
    const [monday] = week
    if (monday !== undefined) expect(new Date(monday).getUTCDay()).toBe(1)
  }
  expect(weeks[0]).toEqual([undefined, undefined, '2025-11-19', '2025-11-20', '2025-11-21', '2025-11-22', '2025-11-23'])
})

test('a day that has a switch of clocks, a leap day and a year that ends are days like others', () => {
  expect(movedDay('2026-10-25', 1)).toBe('2026-10-26')
  expect(movedDay('2028-02-28', 1)).toBe('2028-02-29')
  expect(movedDay('2026-01-01', -1)).toBe('2025-12-31')
  expect(dayOf('2026-11-18T23:59:59.999Z')).toBe('2026-11-18')
})

test('a year is two strips of weeks without a lost week, a short range is one', () => {
  const weeks = weeksOf(YEAR)
  const strips = stripsOf(weeks)
  expect(strips).toHaveLength(2)
  expect(strips.flat()).toEqual(weeks)
  expect(stripsOf(weeksOf({ first: '2026-11-18', last: '2026-11-18' }))).toHaveLength(1)
})

test('a month is named at the week in which it begins', () => {
  expect(monthStart(['2026-06-29', '2026-06-30', '2026-07-01'], false)).toBe('Jul')
  expect(monthStart(['2026-07-06'], false)).toBeUndefined()
  expect(monthStart([undefined, '2026-07-06'], true)).toBe('Jul')
})

import { timeFormat } from '../../words/formats.ts'

/** Days are texts such as `2026-11-18`, in UTC. */

const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000
const DAYS_OF_WEEK = 7
/** As many weeks beside each other as leave every day large enough for a finger. */
const STRIP_WEEKS = 27

export interface DayRange {
  readonly first: string
  readonly last: string
}

export function dayOf(instant: string | number): string {
  return new Date(instant).toISOString().slice(0, 10)
}

export function movedDay(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS)
}

/** The range of one year that ends today. */
export function lastYear(nowMs: number): DayRange {
  const last = dayOf(nowMs)
  return { first: movedDay(last, -364), last }
}

export function isInside(day: string, { first, last }: DayRange): boolean {
  return day >= first && day <= last
}

/** Weeks from Monday to Sunday that contain the range. Days outside of it are undefined. */
export function weeksOf(range: DayRange): (string | undefined)[][] {
  const weeks: (string | undefined)[][] = []
  for (let monday = mondayOf(range.first); monday <= range.last; monday = movedDay(monday, DAYS_OF_WEEK)) {
    const days = Array.from({ length: DAYS_OF_WEEK }, (_, index) => movedDay(monday, index))
    weeks.push(days.map((day) => (isInside(day, range) ? day : undefined)))
  }
  return weeks
}

/** Weeks in rows of equal length, the last of which is full: what is recent is together. */
export function stripsOf<Week>(weeks: readonly Week[]): Week[][] {
  const count = Math.ceil(weeks.length / STRIP_WEEKS)
  const length = Math.ceil(weeks.length / Math.max(1, count))
  return Array.from({ length: count }, (_, index) => weeks.slice(index * length, (index + 1) * length))
}

function mondayOf(day: string): string {
  const fromMonday = (new Date(day).getUTCDay() + 6) % DAYS_OF_WEEK
  return movedDay(day, -fromMonday)
}

/** The name of the month that begins in a week, for its label. */
export function monthStart(week: readonly (string | undefined)[], isFirst: boolean): string | undefined {
  const first = week.find((day) => day?.endsWith('-01'))
  const day = first ?? (isFirst ? week.find((each) => each !== undefined) : undefined)
  return day === undefined ? undefined : monthText(day)
}

function monthText(day: string): string {
  return timeFormat('utc', { month: 'short' }).format(new Date(day))
}

/** 12 November 2026 */
export function longDayText(day: string): string {
  return timeFormat('utc', { day: 'numeric', month: 'long', year: 'numeric' }).format(new Date(day))
}

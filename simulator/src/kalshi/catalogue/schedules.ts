import { lastNewYorkHour, newYorkTime } from '../../world/new-york.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** When the events of a series close, by number. */
export interface Schedule {
  closeMs(index: number): number
  /** Number of the first event that closes after that time. */
  indexAfter(atMs: number): number
}

/** Closes at every full period since 1970. */
export function everyMs(lengthMs: number): Schedule {
  return { closeMs: (index) => (index + 1) * lengthMs, indexAfter: (atMs) => Math.floor(atMs / lengthMs) }
}

/** Closes every day at that hour in New York; the number is that of the day since 1970. */
export function daily(hour: number): Schedule {
  return searched(
    (day) => newYorkHour(day, hour),
    (atMs) => Math.floor(atMs / DAY_MS) - 2,
  )
}

/** Closes every Friday. */
export function weekly(hour: number): Schedule {
  return searched(
    (week) => newYorkHour(week * 7 + 1, hour),
    (atMs) => Math.floor(atMs / DAY_MS / 7) - 2,
  )
}

/** Closes once a month; the number counts months since the year 0. */
export function monthly(dayOfMonth: number, hour: number): Schedule {
  return searched(
    (month) => newYorkHour(Date.UTC(Math.floor(month / 12), month % 12, dayOfMonth) / DAY_MS, hour),
    (atMs) => new Date(atMs).getUTCFullYear() * 12 + new Date(atMs).getUTCMonth() - 1,
  )
}

function searched(closeMs: (index: number) => number, firstGuess: (atMs: number) => number): Schedule {
  return {
    closeMs,
    indexAfter(atMs) {
      let index = firstGuess(atMs)
      while (closeMs(index) <= atMs) index++
      return index
    },
  }
}

/** That hour in New York on a day that is counted since 1970. */
export function newYorkHour(day: number, hour: number): number {
  return lastNewYorkHour(day * DAY_MS + (hour + 5) * HOUR_MS, [hour])
}

/** `26SEP07`, in New York. */
export function dayCode(atMs: number): string {
  const { year, month, day } = newYorkTime(atMs)
  return `${String(year).slice(2)}${month.slice(0, 3).toUpperCase()}${twoDigits(day)}`
}

/** `26SEP`, in New York. */
export function monthCode(atMs: number): string {
  return dayCode(atMs).slice(0, 5)
}

/** `1400`, in New York. */
export function clockCode(atMs: number): string {
  const { hour, minute } = newYorkTime(atMs)
  return `${twoDigits(hour)}${twoDigits(minute)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

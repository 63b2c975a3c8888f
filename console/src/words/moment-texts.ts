import { type TimeZone, ZONE_MARKS } from './formats.ts'

/** 2026-11-18 12:04:07 UTC; with milliseconds when `digits` is 3. */
export function momentText(ms: number, zone: TimeZone, digits: 0 | 3 = 0): string {
  const shifted = zone === 'utc' ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000
  const text = new Date(shifted).toISOString().replace('T', ' ')
  const time = text.slice(0, digits === 3 ? 23 : 19)
  return `${time} ${ZONE_MARKS[zone]}`
}

/** A length of time as people say it: `30 min`, `1 h 5 min`, `45 s`, `2.5 s`. */
export function lengthText(ms: number): string {
  if (ms < 10_000) return `${Number((ms / 1_000).toFixed(1))} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return minutes < 10 && seconds % 60 > 0 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`
  return minutes % 60 > 0 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes / 60} h`
}

export function creditsText(credits: number): string {
  if (credits === 0) return 'free'
  return credits === 1 ? '1 credit' : `${credits.toLocaleString('en-US')} credits`
}

import { type TimeZone, timeFormat } from './formats.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A price of 0.545 is 54.5 %. */
export function percentOfPrice(price: number): string {
  return `${trimmed(price * 100)} %`
}

/** A price with two digits, or more when it has them. */
export function centsText(price: number): string {
  const text = trimmed(price)
  return text.includes('.') && text.split('.')[1]?.length !== 1 ? text : price.toFixed(2)
}

/** As the filters of the catalogue name it. */
export function statusText(status: 'live' | 'upcoming' | 'settling' | 'expired'): string {
  if (status === 'settling') return 'settling, result not known yet'
  return status === 'expired' ? 'ended' : status
}

/** `4:07`, `2:04:07`, `3 days` */
export function timeLeftText(ms: number): string {
  const left = Math.max(0, ms)
  if (left >= 2 * DAY_MS) return `${Math.floor(left / DAY_MS)} days`
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const seconds = two((left % MINUTE_MS) / SECOND_MS)
  const minutes = (left % HOUR_MS) / MINUTE_MS
  if (left < HOUR_MS) return `${Math.floor(minutes)}:${seconds}`
  return `${Math.floor(left / HOUR_MS)}:${two(minutes)}:${seconds}`
}

/** Sizes of books, as short as they can be read: `412.5`, `12.4k`. */
export function sizeText(size: number): string {
  if (size >= 1_000_000) return `${(size / 1_000_000).toFixed(2)}M`
  if (size >= 10_000) return `${(size / 1_000).toFixed(1)}k`
  return size >= 100 ? size.toFixed(0) : trimmed(Math.round(size * 100) / 100)
}

/** Without the last digits of binary fractions, and without zeros at the end. */
function trimmed(value: number): string {
  return String(Number(value.toFixed(4)))
}

/** A label of a time axis: `14:05:09`. */
export function axisTimeText(ms: number, zone: TimeZone): string {
  return timeFormat(zone, { timeStyle: 'medium' }).format(ms)
}

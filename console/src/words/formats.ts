/** Texts of numbers and times. Times are in UTC unless the user has chosen local time. */

export type TimeZone = 'utc' | 'local'

export const ZONE_MARKS: Readonly<Record<TimeZone, string>> = { utc: 'UTC', local: 'local' }

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export function numberText(value: number): string {
  return numberFormat().format(value)
}

const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
const DIGITS = { minimumSignificantDigits: 5, maximumSignificantDigits: 5 } as const

/** An amount of money. */
export function usdText(value: number): string {
  return `$${numberFormat(Number.isInteger(value) ? {} : CENTS).format(value)}`
}

/** A price of a coin; a small one has more digits after the point. */
export function priceText(value: number): string {
  return `$${numberFormat(value >= 1_000 ? CENTS : DIGITS).format(value)}`
}

export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** 18 Nov 2026 */
export function dayText(instant: string | number, zone: TimeZone): string {
  return timeFormat(zone, { dateStyle: 'medium' }).format(new Date(instant))
}

/** 18 Nov 2026, 14:05 UTC, or with `local` for the time of the browser */
export function instantText(instant: string | number, zone: TimeZone): string {
  const text = timeFormat(zone, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(instant))
  return `${text} ${ZONE_MARKS[zone]}`
}

/** 14:05:09 UTC */
export function clockText(instant: string | number, zone: TimeZone): string {
  const text = timeFormat(zone, { timeStyle: 'medium' }).format(new Date(instant))
  return `${text} ${ZONE_MARKS[zone]}`
}

/** How long ago, in the largest unit that is not zero: `3 min`. */
export function durationText(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / SECOND_MS))} s`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`
  const days = Math.floor(ms / DAY_MS)
  return days === 1 ? '1 day' : `${days} days`
}

/** 1 file, 2 files */
export function countText(count: number, what: string): string {
  return `${numberText(count)} ${what}${count === 1 ? '' : 's'}`
}

const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** 1.2 MB */
export function bytesText(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1_000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[power]}`
}

/** Percent, rounded down, so that nothing looks more complete than it is. */
export function percentText(percent: number): string {
  return `${(Math.floor(percent * 100) / 100).toFixed(2)} %`
}

/** Text of a venue or a user without characters that change how other text is shown. */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
}

/** Each is made when it is first used, and kept: making one takes a browser several milliseconds. */
const numberFormats = new Map<string, Intl.NumberFormat>()
const timeFormats = new Map<string, Intl.DateTimeFormat>()

function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return kept(numberFormats, JSON.stringify(options), () => new Intl.NumberFormat('en-US', options))
}

export function timeFormat(zone: TimeZone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const inZone = zone === 'utc' ? { ...options, timeZone: 'UTC' } : options
  return kept(timeFormats, JSON.stringify(inZone), () => new Intl.DateTimeFormat('en-GB', inZone))
}

function kept<Format>(formats: Map<string, Format>, name: string, make: () => Format): Format {
  const known = formats.get(name)
  if (known !== undefined) return known
  const made = make()
  formats.set(name, made)
  return made
}

import type { TimeZone } from '../../words/formats.ts'

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/
const EPOCH = /^\d{9,13}$/
const DISTANCE = /^([+-])(\d+(?:\.\d+)?)(ms|s|m|h|d)$/
const DAY_AND_TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/
/** Smaller numbers are seconds. */
const FIRST_MILLISECONDS = 100_000_000_000
const DAY_MS = 86_400_000
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS } as const

/**
 * Reads a time as people type it: `15:04`, `15:04:05.250`, `2026-11-18T15:04:00Z`, seconds or milliseconds since 1970,
 * or a distance such as `-20m`. Times without an offset are those of the zone, clock times of the day of `aroundMs`;
 * distances are from it. Undefined when the text is none of these.
 */
export function readTime(text: string, aroundMs: number, zone: TimeZone): number | undefined {
  const typed = text.trim()
  return clockTime(typed, aroundMs, zone) ?? epochTime(typed) ?? distance(typed, aroundMs) ?? dayAndTime(typed, zone)
}

function clockTime(text: string, aroundMs: number, zone: TimeZone): number | undefined {
  const match = CLOCK.exec(text)
  if (match === null) return undefined
  const [hours, minutes, seconds] = [match[1], match[2], match[3] ?? 0].map(Number)
  if (hours === undefined || minutes === undefined || seconds === undefined) return undefined
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const ms = Number((match[4] ?? '').padEnd(3, '0'))
  if (zone === 'local') return new Date(aroundMs).setHours(hours, minutes, seconds, ms)
  return new Date(aroundMs).setUTCHours(hours, minutes, seconds, ms)
}

function epochTime(text: string): number | undefined {
  if (!EPOCH.test(text)) return undefined
  const value = Number(text)
  return value < FIRST_MILLISECONDS ? value * 1_000 : value
}

function distance(text: string, aroundMs: number): number | undefined {
  const match = DISTANCE.exec(text)
  if (match === null) return undefined
  const ms = Number(match[2]) * UNIT_MS[match[3] as keyof typeof UNIT_MS]
  return Math.round(aroundMs + (match[1] === '-' ? -ms : ms))
}

/** Without an offset it is of the zone that the page shows. */
function dayAndTime(text: string, zone: TimeZone): number | undefined {
  if (!DAY_AND_TIME.test(text)) return undefined
  const hasOffset = /(?:Z|[+-]\d{2}:\d{2})$/.test(text.slice(10))
  const full = text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T')
  const ms = Date.parse(hasOffset || zone === 'local' ? full : `${full}Z`)
  if (Number.isNaN(ms)) return undefined
  // `Date.parse` reads the 30th of February as the second of March.
  const isDay = new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))
  return isDay ? ms : undefined
}

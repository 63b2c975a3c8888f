const HOUR_MS = 3_600_000

const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
})

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

export interface WallTime {
  year: number
  month: string
  day: number
  hour: number
  minute: number
}

export function newYorkTime(atMs: number): WallTime {
  const part = new Map(clock.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  return {
    year: part.get('year') ?? 0,
    month: MONTHS[(part.get('month') ?? 1) - 1] ?? '',
    day: part.get('day') ?? 0,
    hour: part.get('hour') ?? 0,
    minute: part.get('minute') ?? 0,
  }
}

/** The latest moment not after `atMs` at which the clock in New York shows a full hour out of `hours`. */
export function lastNewYorkHour(atMs: number, hours: readonly number[]): number {
  let candidateMs = Math.floor(atMs / HOUR_MS) * HOUR_MS
  while (!hours.includes(newYorkTime(candidateMs).hour)) candidateMs -= HOUR_MS
  return candidateMs
}

/** `7:00PM`, or `4AM` when short. */
export function clockText(time: WallTime, short = false): string {
  const hour = time.hour % 12 === 0 ? 12 : time.hour % 12
  const half = time.hour < 12 ? 'AM' : 'PM'
  return short ? `${hour}${half}` : `${hour}:${String(time.minute).padStart(2, '0')}${half}`
}

export function dateText(time: WallTime): string {
  return `${time.month} ${time.day}`
}

/** `october-8-2026`, as dates stand in the venue's slugs. */
export function dateSlug(time: WallTime): string {
  return `${time.month.toLowerCase()}-${time.day}-${time.year}`
}

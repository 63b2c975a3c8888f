const HOUR_MS = 3_600_000

const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: 'numeric',
})

/** What clocks and calendars in New York show, with the month as slugs spell it. */
export interface NewYorkTime {
  year: string
  month: string
  day: string
  hour: number
}

export function newYorkTime(atMs: number): NewYorkTime {
  const parts = new Map(clock.formatToParts(atMs).map(({ type, value }) => [type, value]))
  const { year = '', month = '', day = '', hour = '' } = Object.fromEntries(parts)
  return { year, month: month.toLowerCase(), day, hour: Number(hour) }
}

/** The last time not after `atMs` when it is one of these full hours in New York. */
export function lastHourInNewYork(atMs: number, hours: readonly number[]): number {
  let candidateMs = Math.floor(atMs / HOUR_MS) * HOUR_MS
  while (!hours.includes(newYorkTime(candidateMs).hour)) candidateMs -= HOUR_MS
  return candidateMs
}

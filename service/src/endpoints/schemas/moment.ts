/** Times outside of these bounds are mistakes, such as seconds that are read as milliseconds. */
export const EARLIEST = '2020-01-01T00:00:00Z'
export const END = '2100-01-01T00:00:00Z'
export const EARLIEST_MS = Date.parse(EARLIEST)
export const END_MS = Date.parse(END)
/** For messages: `must be a time from … and before …`. */
export const TIME_BOUNDS = `from ${EARLIEST} and before ${END}`

/** Smaller numbers are seconds: as milliseconds they would be before 1973, and larger ones as seconds after 5138. */
const FIRST_MILLISECONDS = 100_000_000_000
const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/
const EPOCH = /^\d{1,15}$/

/** Parses a time in any accepted form to epoch milliseconds; undefined when the text is not a time within the bounds. */
export function momentMs(text: string): number | undefined {
  const ms = timeIn(text)
  return ms !== undefined && isInBounds(ms) ? ms : undefined
}

/** Epoch milliseconds of any time, also out of bounds. */
export function timeIn(text: string): number | undefined {
  if (EPOCH.test(text)) return epochMs(Number(text))
  if (!ISO_WITH_OFFSET.test(text) || !isDay(text.slice(0, 10))) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

export function isInBounds(ms: number): boolean {
  return ms >= EARLIEST_MS && ms < END_MS
}

function epochMs(value: number): number {
  return value < FIRST_MILLISECONDS ? value * 1_000 : value
}

/** False for 2026-02-30, which `Date.parse` reads as the second of March. */
function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}

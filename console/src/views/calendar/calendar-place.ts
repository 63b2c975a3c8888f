/** What is open in a calendar: nothing, a day, or an hour of a day. */
export interface CalendarPlace {
  readonly day?: string
  readonly hour?: number
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** Reads the place from an address; what is no day or hour is left out. */
export function placeOf({ day, hour }: { readonly day?: unknown; readonly hour?: unknown }): CalendarPlace {
  if (!isDay(day)) return {}
  return isHour(hour) ? { day, hour } : { day }
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value))
}

function isHour(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 23
}

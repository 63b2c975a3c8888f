const HOUR_MS = 3_600_000

/** Start times of the hours that overlap the range; the end of the range is not included. */
export function hoursBetween(fromMs: number, toMs: number): number[] {
  const hours: number[] = []
  for (let hour = Math.floor(fromMs / HOUR_MS) * HOUR_MS; hour < toMs; hour += HOUR_MS) hours.push(hour)
  return hours
}

/** 2026-11-15T12:00:00Z */
export function hourText(hourMs: number): string {
  return new Date(hourMs).toISOString().replace('.000Z', 'Z')
}

/** 2026-11-15T12Z, without colons because some file systems forbid them. */
export function hourName(hourMs: number): string {
  return new Date(hourMs).toISOString().replace(':00:00.000Z', 'Z')
}

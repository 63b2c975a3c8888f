const HOUR_MS = 3_600_000

/** Begins of the hours that a range touches; its end is not included. */
export function hoursBetween(fromMs: number, toMs: number): number[] {
  const hours: number[] = []
  for (let hour = Math.floor(fromMs / HOUR_MS) * HOUR_MS; hour < toMs; hour += HOUR_MS) hours.push(hour)
  return hours
}

/** 2026-11-15T12:00:00Z */
export function hourText(hourMs: number): string {
  return new Date(hourMs).toISOString().replace('.000Z', 'Z')
}

/** 2026-11-15T12Z, which every file system takes. */
export function hourName(hourMs: number): string {
  return new Date(hourMs).toISOString().replace(':00:00.000Z', 'Z')
}

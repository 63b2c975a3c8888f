import { z } from 'zod'

/** A time as text: `2026-11-15T12:00:00.250Z`. */
export const Instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: 'date-time', examples: ['2026-11-15T12:00:00.250Z'] })

export function instantOf(ms: number): string {
  return new Date(ms).toISOString()
}

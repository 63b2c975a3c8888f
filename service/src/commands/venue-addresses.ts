import { z } from 'zod'
import { checkValue } from '../domain/value-problems.ts'
import { VENUE_SETTINGS, type VenueConfig } from '../venue-registry.ts'

/** Only the settings of venues, for a command that needs no engines; all that it needs have defaults. */
export function readVenueAddresses(environment: Record<string, string | undefined>): VenueConfig {
  const read = checkValue(z.object(VENUE_SETTINGS), environment, 'environment')
  if ('data' in read) return read.data
  const lines = read.problems.map(({ parameter, problem }) => `  ${parameter} ${problem}.`)
  throw new Error(`Some addresses of venues are wrong (docs/config.md describes them):\n${lines.join('\n')}`)
}

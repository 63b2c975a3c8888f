import { z } from 'zod'
import { BINARY_VENUES, DEFAULT_VENUE } from '../../venue-registry.ts'

const NAMES = BINARY_VENUES.map(({ id }) => id).join(', ')

/** Not an enum: a new venue adds a name. */
export const VenueName = z
  .string()
  .describe(`venue of the market: ${NAMES}; empty when only rows of the market are known`)
  .meta({ examples: [DEFAULT_VENUE] })

import { z } from 'zod'
import { usdUnitsIn } from '../../domain/decimal.ts'
import type { WindowPrices } from '../venue.ts'
import { HttpRefusal, type VenueHttp } from '../venue-http.ts'

const Amount = z.union([z.number(), z.string()]).nullish()
const StatedPrices = z.object({
  eventMetadata: z.object({ priceToBeat: Amount, finalPrice: Amount }).nullish(),
})
const UNKNOWN_EVENT = 404

/** The prices that the venue states for a window; they appear some time after its start and its end. */
export async function fetchWindowPrices(
  gamma: VenueHttp,
  eventSlug: string,
  signal: AbortSignal,
): Promise<WindowPrices> {
  try {
    const answer = await gamma.get(`/events/slug/${encodeURIComponent(eventSlug)}`, signal)
    const { eventMetadata } = StatedPrices.parse(JSON.parse(answer))
    return { start: unitsOf(eventMetadata?.priceToBeat), end: unitsOf(eventMetadata?.finalPrice) }
  } catch (error) {
    if (error instanceof HttpRefusal && error.status === UNKNOWN_EVENT) return {}
    throw error
  }
}

function unitsOf(amount: z.infer<typeof Amount>): bigint | undefined {
  const units = amount === null || amount === undefined ? undefined : usdUnitsIn(String(amount))
  return units === 0n ? undefined : units
}

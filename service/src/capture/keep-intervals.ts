import type { MarketIntervals } from '../bus/market-intervals.ts'
import type { BinaryVenue } from '../venues/venue.ts'

/** Wraps a venue so that each market keeps the sampling interval it was first recorded with. */
export function keepIntervals(venue: BinaryVenue, intervals: MarketIntervals): BinaryVenue {
  return {
    ...venue,
    discover: async (plan, nowMs, signal) => {
      const listing = await venue.discover(plan, nowMs, signal)
      return { ...listing, markets: await intervals.keep(plan.id, listing.markets) }
    },
  }
}

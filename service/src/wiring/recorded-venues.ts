import type { Config } from '../config.ts'
import { BINARY_VENUES, PERP_VENUES, PRICE_VENUES } from '../venue-registry.ts'
import type { PriceVenue } from '../venues/price-venue.ts'
import type { BinaryVenue } from '../venues/venue.ts'

/** The shards of coin prices, which belong to no venue. */
export const PRICE_SHARDS = { group: 'prices', count: 1 } as const

/** The number of shards of each group, as configured. */
export function shardCounts(config: Config): ReadonlyMap<string, number> {
  const ofVenues = [...BINARY_VENUES, ...PERP_VENUES].map((venue): [string, number] => [
    venue.id,
    venue.shardCount(config),
  ])
  return new Map([...ofVenues, [PRICE_SHARDS.group, PRICE_SHARDS.count]])
}

/** The same without the venues that are off. */
export function recordedCounts(config: Config): ReadonlyMap<string, number> {
  const off = BINARY_VENUES.filter(({ offBecause }) => offBecause?.(config) !== undefined).map(({ id }) => id)
  return new Map([...shardCounts(config)].filter(([group]) => !off.some((id) => id === group)))
}

/** The venues whose prices stand in rows of binary markets. */
export function priceVenues(config: Config): PriceVenue[] {
  return PRICE_VENUES.map((venue) => venue.open(config))
}

/** To decode what was recorded; nothing is requested from them. */
export function recordedVenues(config: Config): { venues: BinaryVenue[]; priceVenues: PriceVenue[] } {
  return { venues: BINARY_VENUES.map((venue) => venue.open(config)), priceVenues: priceVenues(config) }
}

import type { Config } from '../config.ts'
import { binance } from '../venues/binance/venue.ts'
import type { PolymarketAddresses } from '../venues/polymarket/venue.ts'
import { polymarket } from '../venues/polymarket/venue.ts'
import type { PriceVenue } from '../venues/price-venue.ts'
import { rtds } from '../venues/rtds/venue.ts'
import type { BinaryVenue } from '../venues/venue.ts'

export function polymarketAddresses(config: Config): PolymarketAddresses {
  return {
    gammaUrl: config.POLYMARKET_GAMMA_URL,
    clobUrl: config.POLYMARKET_CLOB_URL,
    socketUrl: config.POLYMARKET_SOCKET_URL,
  }
}

/** The venues whose prices stand in rows of binary markets. */
export function priceVenues(config: Config): PriceVenue[] {
  return [
    binance({ restUrl: config.BINANCE_REST_URL, streamUrl: config.BINANCE_SOCKET_URL }),
    rtds({ socketUrl: config.POLYMARKET_PRICE_SOCKET_URL }),
  ]
}

/** To decode what was recorded; nothing is requested from them. */
export function recordedVenues(config: Config): { venue: BinaryVenue; priceVenues: PriceVenue[] } {
  return { venue: polymarket(polymarketAddresses(config)), priceVenues: priceVenues(config) }
}

import { COINS } from '../../domain/market.ts'
import { BackOff } from '../back-off.ts'
import type { PriceVenue } from '../price-venue.ts'
import { VenueHttp } from '../venue-http.ts'
import { decodeSpotFrame } from './decode.ts'
import { isTraded, pairOf } from './pairs.ts'

export interface BinanceAddresses {
  restUrl: string
  /** The host with its port, as in `wss://stream.binance.com:9443`; some countries block this one. */
  streamUrl: string
}

/** Spot prices of Binance: best bid and ask of all coins, over one socket. */
export function binance({ restUrl, streamUrl }: BinanceAddresses): PriceVenue {
  const http = new VenueHttp(restUrl)
  const series = COINS.map((coin) => ({ source: 'binance' as const, coin }))
  let requests = 0
  const frame = (method: string, params: readonly string[]): string[] => [
    JSON.stringify({ method, params, id: ++requests }),
  ]
  return {
    id: 'binance',
    // The exchange sends the pings, and the socket library answers them.
    socket: { url: `${streamUrl}/stream`, silenceLimitMs: 10_000, maxFrameBytes: 1024 * 1024 },
    backOff: () => new BackOff(),
    series,
    async listSeries(signal) {
      const traded = await Promise.all(series.map(({ coin }) => isTraded(http, coin, signal)))
      return series.filter((_, index) => traded[index])
    },
    streamOf: ({ coin }) => `${pairOf(coin).toLowerCase()}@bookTicker`,
    subscribeFrames: (streams) => frame('SUBSCRIBE', streams),
    unsubscribeFrames: (streams) => frame('UNSUBSCRIBE', streams),
    decode: decodeSpotFrame,
  }
}

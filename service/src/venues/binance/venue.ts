import { COINS } from '../../domain/market.ts'
import type { FeedRules } from '../feed-options.ts'
import { decodeSpotFrame } from './decode.ts'
import { pairOf } from './spot-prices.ts'

/** A venue of spot prices: best bid and ask of all coins, over one socket. */
export interface SpotVenue {
  readonly id: string
  readonly socket: FeedRules
  /** The streams to subscribe. */
  readonly streams: readonly string[]
  subscribeFrames(streams: readonly string[]): string[]
  unsubscribeFrames(streams: readonly string[]): string[]
  decode: typeof decodeSpotFrame
}

/** `streamUrl` is the host with its port, as in `wss://stream.binance.com:9443`; some countries block this one. */
export function binance({ streamUrl }: { streamUrl: string }): SpotVenue {
  let requests = 0
  const frame = (method: string, params: readonly string[]): string[] => [
    JSON.stringify({ method, params, id: ++requests }),
  ]
  return {
    id: 'binance',
    // The exchange sends the pings, and the socket library answers them.
    socket: { url: `${streamUrl}/stream`, silenceLimitMs: 10_000, maxFrameBytes: 1024 * 1024 },
    streams: COINS.map((coin) => `${pairOf(coin).toLowerCase()}@bookTicker`),
    subscribeFrames: (streams) => frame('SUBSCRIBE', streams),
    unsubscribeFrames: (streams) => frame('UNSUBSCRIBE', streams),
    decode: decodeSpotFrame,
  }
}

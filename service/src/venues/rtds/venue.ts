import { COINS } from '../../domain/market.ts'
import { BackOff } from '../back-off.ts'
import type { PriceVenue } from '../price-venue.ts'
import { decodePriceFrame, TOPICS } from './decode.ts'

const topics = Object.entries(TOPICS)

/** Polymarket's price socket. The venue announced that it will be removed, so its absence is a normal state. */
export function rtds({ socketUrl }: { socketUrl: string }): PriceVenue {
  const series = topics.flatMap(([, source]) => COINS.map((coin) => ({ source, coin })))
  const frame = (action: string, wanted: readonly string[]): string[] => [
    // Without filters: many filtered entries make the server send other prices, without an error.
    JSON.stringify({ action, subscriptions: wanted.map((topic) => ({ topic, type: 'update' })) }),
  ]
  return {
    id: 'rtds',
    socket: {
      url: socketUrl,
      // Without pings the prices stop after four minutes; the server never answers them.
      heartbeat: { frame: 'PING', everyMs: 4_500 },
      silenceLimitMs: 30_000,
      maxFrameBytes: 1024 * 1024,
    },
    backOff: () => new BackOff({ firstMs: 1_000, mostMs: 300_000 }),
    series,
    listSeries: async () => series,
    streamOf: ({ source }) => topics.find(([, each]) => each === source)?.[0] ?? '',
    subscribeFrames: (wanted) => frame('subscribe', wanted),
    unsubscribeFrames: (wanted) => frame('unsubscribe', wanted),
    decode: decodePriceFrame,
  }
}

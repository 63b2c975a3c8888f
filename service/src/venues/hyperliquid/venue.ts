import { z } from 'zod'
import { PerpBook } from '../perp-book.ts'
import type { PerpStream } from '../perp-events.ts'
import type { PerpVenue } from '../perp-venue.ts'
import { type OnAnswer, VenueHttp } from '../venue-http.ts'
import { decodePerpBook, decodePerpFrame } from './decode.ts'

export interface HyperliquidAddresses {
  /** With its path: `https://api.hyperliquid.xyz/info`. */
  infoUrl: string
  socketUrl: string
}

const MetaSchema = z.object({
  universe: z.array(z.object({ name: z.string(), isDelisted: z.boolean().optional() })),
})

export function hyperliquid({ infoUrl, socketUrl }: HyperliquidAddresses, onAnswer?: OnAnswer): PerpVenue {
  const info = new VenueHttp(infoUrl, {}, onAnswer)
  let listed: ReadonlySet<string> = new Set()
  const frames = (method: string, stream: PerpStream, coins: readonly string[]): string[] =>
    coins
      // One unknown coin, or one in another letter case, makes the venue close the whole socket without a message.
      .filter((coin) => listed.has(coin))
      .flatMap((coin) => subscriptionsOf(stream, coin))
      .map((subscription) => JSON.stringify({ method, subscription }))
  return {
    id: 'hyperliquid',
    socket: {
      url: socketUrl,
      heartbeat: { frame: '{"method":"ping"}', everyMs: 20_000, answer: '{"channel":"pong"}', answerWithinMs: 10_000 },
      silenceLimitMs: 20_000,
      maxFrameBytes: 4 * 1024 * 1024,
    },
    async listCoins(signal) {
      const { universe } = MetaSchema.parse(JSON.parse(await info.post('', { type: 'meta' }, signal)))
      listed = new Set(universe.flatMap(({ name, isDelisted }) => (isDelisted === true ? [] : [name])))
      return listed
    },
    subscribeFrames: (stream, coins) => frames('subscribe', stream, coins),
    unsubscribeFrames: (stream, coins) => frames('unsubscribe', stream, coins),
    decode: decodePerpFrame,
    fetchBook: async (coin, signal) => decodePerpBook(await info.post('', { type: 'l2Book', coin }, signal)),
    openBook: (coin) => new PerpBook('hyperliquid', coin),
  }
}

function subscriptionsOf(stream: PerpStream, coin: string): object[] {
  if (stream === 'deep') return [{ type: 'l2Book', coin }]
  return [
    { type: 'l2Book', coin, fast: true },
    { type: 'bbo', coin },
    // Before the contexts: the first of them then shows that trades are subscribed.
    { type: 'trades', coin },
    { type: 'activeAssetCtx', coin },
  ]
}

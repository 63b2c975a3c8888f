import { z } from 'zod'
import { binaryVenue, shardCount } from '../definition.ts'
import { polymarket } from './venue.ts'

export const POLYMARKET = binaryVenue({
  kind: 'binary',
  id: 'polymarket',
  name: 'Polymarket',
  proof: 'hash',
  settings: {
    POLYMARKET_GAMMA_URL: z.url().default('https://gamma-api.polymarket.com').describe('Polymarket catalogue (REST)'),
    POLYMARKET_CLOB_URL: z.url().default('https://clob.polymarket.com').describe('Polymarket order books (REST)'),
    POLYMARKET_SOCKET_URL: z
      .url()
      .default('wss://ws-subscriptions-clob.polymarket.com/ws/market')
      .describe('Polymarket market WebSocket'),
    POLYMARKET_SHARDS: shardCount(8),
  },
  shardCount: ({ POLYMARKET_SHARDS }) => POLYMARKET_SHARDS,
  clockUrl: ({ POLYMARKET_CLOB_URL }) => POLYMARKET_CLOB_URL,
  open: (settings, { onProblem, onAnswer } = {}) =>
    polymarket(
      {
        gammaUrl: settings.POLYMARKET_GAMMA_URL,
        clobUrl: settings.POLYMARKET_CLOB_URL,
        socketUrl: settings.POLYMARKET_SOCKET_URL,
      },
      onProblem,
      onAnswer,
    ),
})

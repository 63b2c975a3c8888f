import { z } from 'zod'
import { perpVenue, shardCount } from '../definition.ts'
import { hyperliquid } from './venue.ts'

export const HYPERLIQUID = perpVenue({
  kind: 'perp',
  id: 'hyperliquid',
  name: 'Hyperliquid',
  proof: 'none',
  settings: {
    HYPERLIQUID_INFO_URL: z.url().default('https://api.hyperliquid.xyz/info').describe('Hyperliquid REST'),
    HYPERLIQUID_SOCKET_URL: z.url().default('wss://api.hyperliquid.xyz/ws').describe('Hyperliquid WebSocket'),
    HYPERLIQUID_SHARDS: shardCount(1),
  },
  shardCount: ({ HYPERLIQUID_SHARDS }) => HYPERLIQUID_SHARDS,
  open: (settings, { onAnswer } = {}) =>
    hyperliquid({ infoUrl: settings.HYPERLIQUID_INFO_URL, socketUrl: settings.HYPERLIQUID_SOCKET_URL }, onAnswer),
})

import { z } from 'zod'
import { binaryVenue, shardCount } from '../definition.ts'
import { kalshi } from './venue.ts'

export const KALSHI = binaryVenue({
  kind: 'binary',
  id: 'kalshi',
  name: 'Kalshi',
  proof: 'sequence',
  settings: {
    KALSHI_REST_URL: z
      .url()
      .default('https://external-api.kalshi.com/trade-api/v2')
      .describe('Kalshi REST: markets and order books'),
    KALSHI_SOCKET_URL: z
      .url()
      .default('wss://external-api-ws.kalshi.com/trade-api/ws/v2')
      .describe('Kalshi WebSocket, which needs a key'),
    KALSHI_KEY_ID: z
      .string()
      .min(1)
      .optional()
      .describe(
        'id of your own Kalshi API key; Kalshi is not recorded without it. Read docs/venues/terms.md before you set it',
      ),
    KALSHI_PRIVATE_KEY: z.string().min(1).optional().describe('private RSA key of KALSHI_KEY_ID, as PEM text'),
    KALSHI_SHARDS: shardCount(4),
  },
  secrets: ['KALSHI_PRIVATE_KEY'],
  shardCount: ({ KALSHI_SHARDS }) => KALSHI_SHARDS,
  offBecause: ({ KALSHI_KEY_ID, KALSHI_PRIVATE_KEY }) =>
    KALSHI_KEY_ID === undefined || KALSHI_PRIVATE_KEY === undefined
      ? 'KALSHI_KEY_ID or KALSHI_PRIVATE_KEY is not set'
      : undefined,
  open: (settings, { onProblem, onAnswer } = {}) => {
    const { KALSHI_REST_URL: restUrl, KALSHI_SOCKET_URL: socketUrl } = settings
    const { KALSHI_KEY_ID: keyId, KALSHI_PRIVATE_KEY: privateKey } = settings
    return kalshi({ restUrl, socketUrl, keyId, privateKey }, onProblem, onAnswer)
  },
})

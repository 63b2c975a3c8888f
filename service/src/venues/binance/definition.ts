import { z } from 'zod'
import { priceVenue } from '../definition.ts'
import { binance } from './venue.ts'

export const BINANCE = priceVenue({
  kind: 'price',
  id: 'binance',
  name: 'Binance',
  settings: {
    BINANCE_REST_URL: z
      .url()
      .default('https://data-api.binance.vision')
      .describe('Binance REST, which lists the pairs that exist'),
    BINANCE_SOCKET_URL: z.url().default('wss://data-stream.binance.vision').describe('Binance spot prices (WebSocket)'),
  },
  open: (settings) => binance({ restUrl: settings.BINANCE_REST_URL, streamUrl: settings.BINANCE_SOCKET_URL }),
})

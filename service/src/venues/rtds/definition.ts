import { z } from 'zod'
import { priceVenue } from '../definition.ts'
import { rtds } from './venue.ts'

export const RTDS = priceVenue({
  kind: 'price',
  id: 'rtds',
  name: 'Polymarket RTDS',
  settings: {
    POLYMARKET_PRICE_SOCKET_URL: z
      .url()
      .default('wss://ws-live-data.polymarket.com')
      .describe('Polymarket price WebSocket (RTDS), which sends the prices that windows settle on'),
  },
  open: (settings) => rtds({ socketUrl: settings.POLYMARKET_PRICE_SOCKET_URL }),
})

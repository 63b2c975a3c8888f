import { z } from 'zod'
import { frameHead } from './frame-parts.ts'
import type { ChannelKind } from './market-stream.ts'
import { ToldStream } from './told-stream.ts'

const TradeFrame = z.object({
  channel: z.literal('trade'),
  type: z.literal('trade'),
  ...frameHead,
  token: z.string(),
  side: z.enum(['UP', 'DOWN']),
  action: z.enum(['buy', 'sell']).describe('what the taker did'),
  price: z.number(),
  size: z.number(),
  transaction_hash: z.string().nullable(),
  occurrence: z.int().describe('0, or the number of equal fills before this one in the same frame of the venue'),
})

/** After a lost connection the venue repeats its last trades, so an old one may come late. */
const PerpTradeFrame = z.object({
  channel: z.literal('trade'),
  type: z.literal('perp_trade'),
  ...frameHead,
  trade_id: z.int().describe('the venue’s number of the trade; unique with the market'),
  action: z.enum(['buy', 'sell']).describe('what the taker did'),
  price: z.number(),
  size: z.number().describe('coins'),
  transaction_hash: z.string().nullable(),
})

export const tradeChannel: ChannelKind<
  'trade',
  { TradeFrame: typeof TradeFrame; PerpTradeFrame: typeof PerpTradeFrame }
> = {
  name: 'trade',
  frames: { TradeFrame, PerpTradeFrame },
  replays: 'told',
  open: (market, outlet) => new ToldStream('trade', ['fill', 'trade'], market, outlet),
}

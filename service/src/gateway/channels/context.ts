import { z } from 'zod'
import { frameHead } from './frame-parts.ts'
import type { ChannelKind } from './market-stream.ts'
import { ToldStream } from './told-stream.ts'

const { event_at: _, flags: __, ...head } = frameHead
const OfBook = z.number().nullable()

/** The context of a perpetual future, when any of its figures has changed. The venue gives it no time. */
const ContextFrame = z.object({
  channel: z.literal('context'),
  type: z.literal('context'),
  ...head,
  funding_rate: z.number().describe('rate of one hour as a fraction; longs pay shorts when it is positive'),
  premium: OfBook.describe('null without a book, as mid_price and the impact prices'),
  open_interest: z.number().describe('coins'),
  mark_price: z.number(),
  oracle_price: z.number().describe('spot price that the venue uses'),
  mid_price: OfBook,
  impact_bid: OfBook,
  impact_ask: OfBook,
  previous_day_price: z.number(),
  day_volume: z.number().describe('coins traded in 24 hours'),
  day_notional_usd: z.number(),
})

export const contextChannel: ChannelKind<'context', { ContextFrame: typeof ContextFrame }> = {
  name: 'context',
  frames: { ContextFrame },
  replays: 'told',
  open: (market, outlet) => new ToldStream('context', ['context'], market, outlet),
}

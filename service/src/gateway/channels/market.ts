import { z } from 'zod'
import { Selector } from '../protocol/selector.ts'
import type { ChannelKind } from './market-stream.ts'
import { NoticeStream } from './notice-stream.ts'

const MarketFrame = z.object({
  channel: z.literal('market'),
  type: z.enum(['opened', 'rolled', 'settled', 'resolved']),
  market: z.string(),
  venue: z.string().optional().describe('venue of the market'),
  selector: Selector.optional().describe('rolled: the selector whose current window changed'),
  previous: z.string().optional().describe('rolled: the market of the previous window'),
  slug: z.string().optional(),
  outcome: z.enum(['UP', 'DOWN']).nullable().optional().describe('resolved: the outcome; null when it is neither'),
  at: z.int(),
  sent_at: z.int(),
})

export const marketChannel: ChannelKind<'market', { MarketFrame: typeof MarketFrame }> = {
  name: 'market',
  frames: { MarketFrame },
  replays: 'nothing',
  open: (market, outlet) => new NoticeStream('market', market, outlet),
}

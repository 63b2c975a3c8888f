import { z } from 'zod'
import type { ChannelKind } from './market-stream.ts'
import { NoticeStream } from './notice-stream.ts'

const StatusFrame = z.object({
  channel: z.literal('status'),
  type: z.enum(['health', 'dark', 'live']),
  market: z.string().optional().describe('only in dark and live'),
  since_seq: z.int().optional(),
  cause: z.string().optional(),
  status: z.string().optional().describe('only in health: ok, degraded or down'),
  at: z.int(),
  sent_at: z.int(),
})

export const statusChannel: ChannelKind<'status', { StatusFrame: typeof StatusFrame }> = {
  name: 'status',
  frames: { StatusFrame },
  replays: 'nothing',
  open: (market, outlet) => new NoticeStream('status', market, outlet),
}

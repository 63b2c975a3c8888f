import { z } from 'zod'
import { GAP_KINDS } from '../../domain/rows/gap.ts'
import { Cause } from '../../endpoints/schemas/gap.ts'
import { CHANNEL_FRAMES, Channel, RowChannel } from './channels.ts'
import { Selector, StreamOptions } from './selector.ts'

/** What clients say and what they hear on `/v1/stream`; `/asyncapi.json` is made from this file. */

export { Channel, Selector, StreamOptions }

export const RequestId = z.union([z.string().min(1).max(64), z.int()]).meta({ description: 'comes back in the answer' })
const Moment = z.union([z.int().min(0), z.iso.datetime({ offset: true })]).meta({ description: 'epoch ms or ISO-8601' })
const what = {
  selectors: z.array(Selector).min(1).max(500),
  channels: z.array(Channel).min(1).default(['book']),
  options: StreamOptions.default({ mode: 'snapshot' }),
}

/** One frame of a client. */
export const ClientFrame = z
  .discriminatedUnion('op', [
    z.strictObject({ id: RequestId, op: z.literal('auth'), key: z.string().max(200) }),
    z.strictObject({ id: RequestId, op: z.literal('subscribe'), ...what }),
    z
      .strictObject({
        id: RequestId,
        op: z.literal('resume'),
        ...what,
        since: z
          .union([z.record(z.string(), z.int().min(0)), Moment])
          .describe('the last seq that arrived of each market, or a time for all'),
      })
      .describe('as subscribe, but everything after `since` comes first, without a seam'),
    z.strictObject({
      id: RequestId,
      op: z.literal('unsubscribe'),
      selectors: what.selectors.optional(),
      channels: z.array(Channel).min(1).optional(),
    }),
    z.strictObject({
      id: RequestId,
      op: z.literal('replay'),
      ...what,
      from: Moment,
      to: Moment,
      speed: z.union([z.number().min(0.1).max(1_000), z.literal('max')]).default(1),
      dry_run: z.boolean().default(false).describe('true: only what it would cost'),
    }),
    z.strictObject({ id: RequestId, op: z.literal('replay.pause') }),
    z.strictObject({ id: RequestId, op: z.literal('replay.resume') }),
    z.strictObject({ id: RequestId, op: z.literal('replay.seek'), to: Moment }),
    z.strictObject({
      id: RequestId,
      op: z.literal('replay.speed'),
      speed: z.union([z.number().min(0.1).max(1_000), z.literal('max')]),
    }),
    z.strictObject({ id: RequestId, op: z.literal('replay.stop') }),
    z.strictObject({ id: RequestId, op: z.literal('ping') }),
  ])
  .meta({ id: 'ClientFrame' })
export type ClientFrame = z.infer<typeof ClientFrame>

const Rejected = z.object({ selector: Selector, channel: Channel.optional(), reason: z.string(), message: z.string() })
const Limits = z.object({
  subscriptions: z.int().describe('markets times channels on this connection at most'),
  used: z.int(),
  messages_per_second: z.int().describe('frames a client may send'),
})

export const Welcome = z.object({
  type: z.literal('welcome'),
  connection: z.string(),
  tier: z.string(),
  limits: Limits,
  server_time: z.int(),
})
export const Ack = z.object({
  type: z.literal('ack'),
  id: RequestId,
  op: z.string(),
  accepted: z.array(z.object({ selector: Selector, channel: Channel, markets: z.array(z.string()) })).optional(),
  rejected: z.array(Rejected).optional(),
  limits: Limits.optional(),
  replay: z
    .object({ from: z.int(), to: z.int(), rows: z.int(), credits: z.int(), markets: z.int() })
    .optional()
    .describe('of a replay: what will come, and what it costs at most'),
  at: z.int().optional().describe('of a replay command: the moment that the replay has reached'),
})
export const StreamError = z.object({
  type: z.literal('error'),
  id: RequestId.optional(),
  code: z.string(),
  message: z.string(),
})
export const Closing = z.object({
  type: z.literal('closing'),
  code: z.string(),
  message: z.string(),
  reconnect: z.boolean().describe('whether it makes sense to come back'),
  retry_after_ms: z.int().optional(),
})

/**
 * A hole in the rows of a market. `missing` comes right before the first frame after it; `suspect`, over rows that
 * were sent already, right before the first frame of the slot at which the doubt was known.
 */
export const GapFrame = z.object({
  channel: RowChannel,
  type: z.literal('gap'),
  market: z.string(),
  from_seq: z.int(),
  to_seq: z.int(),
  kind: z.enum(GAP_KINDS),
  cause: Cause.nullable().describe('why; null while it is not known; an open list, see the causes of list_gaps'),
  sent_at: z.int(),
})
/** Frames that this reader was too slow for; the next book frame is whole. */
export const SkippedFrame = z.object({
  channel: Channel,
  type: z.literal('skipped'),
  market: z.string(),
  from_seq: z.int(),
  to_seq: z.int(),
  frames: z.int(),
  sent_at: z.int(),
})
export const ReplayEnded = z.object({
  type: z.literal('replay_ended'),
  reason: z.enum(['complete', 'stopped', 'out_of_credits', 'failed']),
  at: z.int(),
  rows: z.int(),
  credits: z.int(),
})

/** One frame of the server. */
export const ServerFrame = z
  .union([
    Welcome,
    Ack,
    StreamError,
    Closing,
    ...Object.values(CHANNEL_FRAMES),
    GapFrame,
    SkippedFrame,
    ReplayEnded,
    z.object({ type: z.literal('pong'), id: RequestId, server_time: z.int() }),
  ])
  .meta({ id: 'ServerFrame' })
export type ServerFrame = z.infer<typeof ServerFrame>

/** Close codes of ours; what a client should do is also told in the `closing` frame before. */
export const CLOSE_CODES = {
  /** No key, or none within 5 s. */
  unauthenticated: 4001,
  /** A key that doesn't work any more, a tier without streams, too many connections. Don't come back by yourself. */
  forbidden: 4003,
  /** Too many or unreadable frames. */
  abusive: 4008,
  /** Didn't read what was sent. Come back. */
  slow_reader: 4009,
  /** We end; come back. */
  going_away: 1001,
} as const

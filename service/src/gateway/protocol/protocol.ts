import { z } from 'zod'
import { GAP_KINDS } from '../../domain/rows/gap.ts'
import { Cause } from '../../endpoints/schemas/gap.ts'
import { EARLIEST, EARLIEST_MS, END, END_MS, momentMs, TIME_BOUNDS } from '../../endpoints/schemas/moment.ts'
import { CHANNEL_FRAMES, Channel, RowChannel } from './channels.ts'
import { Selector, StreamOptions } from './selector.ts'

/** The frames of `/v1/stream`; `/asyncapi.json` is generated from this file. */

export { Channel, Selector, StreamOptions }

export const RequestId = z
  .union([z.string().min(1).max(64), z.int()], 'must be text of 1 to 64 characters, or a whole number')
  .meta({ description: 'returned in the response frame' })
const NO_MOMENT = `must be a time ${TIME_BOUNDS}: epoch milliseconds, or text such as 2026-11-15T12:00:00Z`
const Moment = z
  .union(
    [
      z
        .int()
        .min(EARLIEST_MS, NO_MOMENT)
        .max(END_MS - 1, NO_MOMENT),
      z.iso
        .datetime({ offset: true })
        .refine((text) => momentMs(text) !== undefined, NO_MOMENT)
        .meta({ 'x-minimum': EARLIEST, 'x-exclusiveMaximum': END }),
    ],
    NO_MOMENT,
  )
  .meta({ description: 'epoch ms or ISO-8601' })
const Speed = z.union(
  [z.number().min(0.1).max(1_000), z.literal('max')],
  'must be a number between 0.1 and 1000, or "max"',
)
/** Bounded, because every selector is answered for every channel. */
const Channels = z.array(Channel).min(1).max(Channel.options.length)
const what = {
  selectors: z.array(Selector).min(1).max(500),
  channels: Channels.default(['book']),
  options: StreamOptions.default({ mode: 'snapshot' }),
}

/** One frame of a client. */
export const ClientFrame = z
  .discriminatedUnion('op', [
    z
      .strictObject({
        id: RequestId,
        op: z.literal('auth'),
        key: z.string().max(200).optional(),
        ticket: z.string().max(200).optional().describe('instead of a key: the ticket of a page of the console'),
      })
      .refine(({ key, ticket }) => (key === undefined) !== (ticket === undefined), 'must have either key or ticket'),
    z.strictObject({ id: RequestId, op: z.literal('subscribe'), ...what }),
    z
      .strictObject({
        id: RequestId,
        op: z.literal('resume'),
        ...what,
        since: z
          .union(
            [z.record(z.string(), z.int().min(0)), Moment],
            'must be the last seq of each market, such as {"0x…": 7}, or a time',
          )
          .describe('the last received seq of each market, or one time for all markets'),
      })
      .describe('like subscribe, but first sends everything after `since`, without missing or repeated frames'),
    z.strictObject({
      id: RequestId,
      op: z.literal('unsubscribe'),
      selectors: what.selectors.optional(),
      channels: Channels.optional(),
    }),
    z.strictObject({
      id: RequestId,
      op: z.literal('replay'),
      ...what,
      from: Moment,
      to: Moment,
      speed: Speed.default(1),
      dry_run: z.boolean().default(false).describe('true: return only the cost'),
    }),
    z.strictObject({ id: RequestId, op: z.literal('replay.pause') }),
    z.strictObject({ id: RequestId, op: z.literal('replay.resume') }),
    z.strictObject({ id: RequestId, op: z.literal('replay.seek'), to: Moment }),
    z.strictObject({
      id: RequestId,
      op: z.literal('replay.speed'),
      speed: Speed,
    }),
    z.strictObject({ id: RequestId, op: z.literal('replay.stop') }),
    z.strictObject({ id: RequestId, op: z.literal('ping') }),
  ])
  .meta({ id: 'ClientFrame' })
export type ClientFrame = z.infer<typeof ClientFrame>

const Rejected = z.object({ selector: Selector, channel: Channel.optional(), reason: z.string(), message: z.string() })
const Limits = z.object({
  subscriptions: z.int().describe('maximum subscriptions (markets × channels) on this connection'),
  used: z.int(),
  messages_per_second: z.int().describe('maximum frames per second that a client may send'),
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
  accepted: z
    .array(
      z.object({
        selector: Selector,
        channel: Channel,
        markets: z.array(z.string()),
        venues: z.array(z.string()).optional().describe('the venues of these markets, each once'),
        matched_by: z.string().optional().describe('only for a slug of one market: how it was found, as over REST'),
      }),
    )
    .optional(),
  rejected: z.array(Rejected).optional(),
  limits: Limits.optional(),
  replay: z
    .object({ from: z.int(), to: z.int(), rows: z.int(), credits: z.int(), markets: z.int() })
    .optional()
    .describe('only for a replay: its size, and its maximum cost, also with seeks'),
  at: z.int().optional().describe('only for a replay command: the time that the replay has reached'),
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
  reconnect: z.boolean().describe('whether the client should reconnect'),
  retry_after_ms: z.int().optional(),
})

/**
 * Slots without a trusted row. `missing` is sent right before the first frame after the gap; `suspect` is about rows
 * that were already sent, and is sent right before the first frame after the doubt was known.
 */
export const GapFrame = z.object({
  channel: RowChannel,
  type: z.literal('gap'),
  market: z.string(),
  from_seq: z.int(),
  to_seq: z.int(),
  kind: z.enum(GAP_KINDS),
  cause: Cause.nullable().describe('null while it is not known; an open list, see the causes of list_gaps'),
  sent_at: z.int(),
})
/** Frames that a slow client did not get; the next book frame is a full snapshot. */
export const SkippedFrame = z.object({
  channel: Channel,
  type: z.literal('skipped'),
  market: z.string(),
  from_seq: z.int(),
  to_seq: z.int(),
  frames: z.int().describe('0 when their number is not known'),
  sent_at: z.int(),
})
export const ReplayEnded = z.object({
  type: z.literal('replay_ended'),
  reason: z.enum(['complete', 'stopped', 'out_of_credits', 'failed']),
  at: z.int(),
  rows: z.int().describe('charged rows; a row that was sent again after a seek counts once'),
  credits: z.int().describe('charged credits'),
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

/** Close codes; the `closing` frame before also says whether to reconnect. */
export const CLOSE_CODES = {
  /** No key, or none within 5 s. */
  unauthenticated: 4001,
  /** Revoked or expired key, tier without streams, or too many connections. Do not reconnect automatically. */
  forbidden: 4003,
  /** Too many or invalid frames. */
  abusive: 4008,
  /** The client did not read its frames. Reconnect. */
  slow_reader: 4009,
  /** The account has another tier, which includes streams. Reconnect. */
  tier_changed: 4010,
  /** The server is shutting down. Reconnect. */
  going_away: 1001,
} as const

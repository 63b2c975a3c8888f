import { z } from 'zod'
import { CATEGORIES } from '../../domain/market.ts'
import { GAP_KINDS } from '../../domain/rows/gap.ts'
import { Cause } from '../../endpoints/schemas/gap.ts'

/** What clients say and what they hear on `/v1/stream`; `/asyncapi.json` is made from this file. */

const MarketId = z.string().regex(/^0x[0-9a-f]{64}$/)
const Coin = z.string().regex(/^[A-Za-z0-9]{2,10}$/)

/** Which markets. Exactly one form; `coin` with `timeframe` means the window of the moment and moves on by itself. */
export const Selector = z
  .union([
    z.strictObject({ market: MarketId }).meta({ title: 'One market' }),
    z.strictObject({ token: z.string().regex(/^\d{1,80}$/) }).meta({ title: 'The market of a token' }),
    z.strictObject({ slug: z.string().min(1).max(200) }).meta({ title: 'One market by its exact slug' }),
    z
      .strictObject({ coin: Coin, timeframe: z.enum(['5m', '15m', '1h', '4h', '1d']) })
      .meta({ title: 'The current window of a coin' }),
    z.strictObject({ category: z.enum(CATEGORIES) }).meta({ title: 'Every live market of a category' }),
    z
      .strictObject({ symbol: Coin, exchange: z.enum(['hyperliquid_perp', 'hyperliquid']).optional() })
      .meta({ title: 'A perpetual future' }),
  ])
  .meta({ id: 'Selector' })
export type Selector = z.infer<typeof Selector>

export const CHANNELS = ['book', 'bbo', 'trade', 'market', 'status'] as const
export const Channel = z.enum(CHANNELS).meta({ id: 'Channel' })
export type Channel = z.infer<typeof Channel>

export const StreamOptions = z
  .strictObject({
    depth: z.int().min(1).max(1_000).optional().describe('levels of each side; without it all'),
    interval_ms: z
      .int()
      .min(100)
      .max(60_000)
      .optional()
      .describe('a frame only for slots whose time is a multiple of it; without it every slot'),
    mode: z.enum(['snapshot', 'delta']).default('snapshot').describe('delta: a whole book first, then what changed'),
  })
  .meta({ id: 'StreamOptions' })
export type StreamOptions = z.infer<typeof StreamOptions>

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

/** In every frame with data. `seq` is the slot; `prev_seq` that of the frame before on this channel and market. */
const head = {
  market: z.string().describe('condition id, or `hyperliquid_perp:BTC`'),
  seq: z.int(),
  prev_seq: z.int().nullable().describe('null on the first'),
  event_at: z.int().describe('epoch ms, as the venue says'),
  received_at: z.int(),
  captured_at: z.int(),
  sent_at: z.int(),
  flags: z.array(z.string()),
}
const Pair = z.tuple([z.number(), z.number()]).describe('price, size; in a delta size 0 takes the level away')
const Sides = z.object({ bids: z.array(Pair), asks: z.array(Pair) })
const Touch = z.object({ bid: z.number(), bid_size: z.number(), ask: z.number(), ask_size: z.number() })
const Spot = z.object({ price: z.number(), age_ms: z.int() }).nullable()

export const BookFrame = z.object({
  channel: z.literal('book'),
  type: z.enum(['snapshot', 'delta']),
  ...head,
  spot: Spot.optional().describe('of crypto markets'),
  up: Sides.optional().describe('of a prediction market'),
  down: Sides.optional(),
  book: Sides.optional().describe('of a perpetual future'),
})
export const BboFrame = z.object({
  channel: z.literal('bbo'),
  type: z.literal('bbo'),
  ...head,
  spot: Spot.optional(),
  up: Touch.optional(),
  down: Touch.optional(),
  book: Touch.optional(),
})
export const TradeFrame = z.object({
  channel: z.literal('trade'),
  type: z.literal('trade'),
  ...head,
  token: z.string(),
  side: z.enum(['UP', 'DOWN']),
  taker: z.enum(['BUY', 'SELL']),
  price: z.number(),
  size: z.number(),
  transaction: z.string().nullable(),
})
/**
 * A hole in the rows of a market. `missing` comes right before the first frame after it; `suspect`, over rows that
 * were sent already, right before the first frame of the slot at which the doubt was known.
 */
export const GapFrame = z.object({
  channel: z.enum(['book', 'bbo']),
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
export const MarketFrame = z.object({
  channel: z.literal('market'),
  type: z.enum(['opened', 'rolled', 'settled', 'resolved']),
  market: z.string(),
  selector: Selector.optional().describe('of a roll: whose window moved on'),
  previous: z.string().optional().describe('of a roll: the market that it moved on from'),
  slug: z.string().optional(),
  outcome: z.enum(['UP', 'DOWN']).nullable().optional().describe('of a resolution; null when it is neither'),
  at: z.int(),
  sent_at: z.int(),
})
export const StatusFrame = z.object({
  channel: z.literal('status'),
  type: z.enum(['health', 'dark', 'live']),
  market: z.string().optional().describe('of dark and live'),
  since_seq: z.int().optional(),
  cause: z.string().optional(),
  status: z.string().optional().describe('of health: ok, degraded or down'),
  at: z.int(),
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
    BookFrame,
    BboFrame,
    TradeFrame,
    GapFrame,
    SkippedFrame,
    MarketFrame,
    StatusFrame,
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

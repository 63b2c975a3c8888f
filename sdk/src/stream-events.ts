import type {
  Ack,
  BboFrame,
  BookFrame,
  Channel,
  GapFrame,
  MarketFrame,
  ReplayEnded,
  Selector,
  SkippedFrame,
  StatusFrame,
  StreamOptions,
  TradeFrame,
} from './generated/stream-types.ts'

/** What to follow. */
export interface StreamRequest {
  readonly selectors: readonly Selector[]
  /** Default: `book`. */
  readonly channels?: readonly Channel[] | undefined
  readonly options?: StreamOptions | undefined
}

export type Accepted = NonNullable<Ack['accepted']>[number]
export type Rejected = NonNullable<Ack['rejected']>[number]

/** The first event: what will come, and what will not. When nothing at all was accepted the stream throws instead. */
export interface ConnectedEvent {
  readonly type: 'connected'
  readonly tier: string
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejected[]
  readonly at: number
}

/** The connection broke; what was known grows old until `reconnected`. */
export interface DisconnectedEvent {
  readonly type: 'disconnected'
  readonly code: string
  readonly message: string
  readonly at: number
}

/** Data follows again, after everything that was missed unless a `gap` or `skipped` says otherwise. */
export interface ReconnectedEvent {
  readonly type: 'reconnected'
  readonly away_ms: number
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejected[]
  readonly at: number
}

export type DataFrame = BookFrame | BboFrame | TradeFrame

/** Everything a stream or a replay yields; `type` tells them apart. */
export type StreamEvent =
  | DataFrame
  | GapFrame
  | SkippedFrame
  | MarketFrame
  | StatusFrame
  | ReplayEnded
  | ConnectedEvent
  | DisconnectedEvent
  | ReconnectedEvent

export function isData(event: StreamEvent): event is DataFrame {
  return 'prev_seq' in event
}

import type {
  Ack,
  BboFrame,
  BookFrame,
  Channel,
  ContextFrame,
  GapFrame,
  MarketFrame,
  PerpTradeFrame,
  ReplayEnded,
  Selector,
  SkippedFrame,
  StatusFrame,
  StreamOptions,
  TradeFrame,
} from './generated/stream-types.ts'

/** Selectors and channels to subscribe to. */
export interface StreamRequest {
  readonly selectors: readonly Selector[]
  /** Default: `book`. */
  readonly channels?: readonly Channel[] | undefined
  readonly options?: StreamOptions | undefined
}

export type Accepted = NonNullable<Ack['accepted']>[number]
export type Rejected = NonNullable<Ack['rejected']>[number]

/** The first event: accepted and rejected selectors. When nothing was accepted the stream throws instead. */
export interface ConnectedEvent {
  readonly type: 'connected'
  readonly tier: string
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejected[]
  readonly at: number
}

/** The connection broke; books are out of date until `reconnected`. */
export interface DisconnectedEvent {
  readonly type: 'disconnected'
  readonly code: string
  readonly message: string
  readonly at: number
}

/** The stream resumes. Missed frames follow, unless a `gap` or `skipped` event reports them as missing. */
export interface ReconnectedEvent {
  readonly type: 'reconnected'
  readonly away_ms: number
  readonly accepted: readonly Accepted[]
  readonly rejected: readonly Rejected[]
  readonly at: number
}

export type DataFrame = BookFrame | BboFrame | TradeFrame | PerpTradeFrame | ContextFrame

/** Everything that a stream or a replay yields, distinguished by `type`. */
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

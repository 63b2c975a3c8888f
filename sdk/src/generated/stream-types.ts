// Made by `npm run docs`, from the protocol of the stream. Changes here are lost.

export interface Ack {
  type: 'ack'
  /** comes back in the answer */
  id: string | number
  op: string
  accepted?: {
    selector: Selector
    channel: Channel
    markets: string[]
  }[]
  rejected?: {
    selector: Selector
    channel?: Channel
    reason: string
    message: string
  }[]
  limits?: {
    /** markets times channels on this connection at most */
    subscriptions: number
    used: number
    /** frames a client may send */
    messages_per_second: number
  }
  /** of a replay: what will come, and what it costs at most */
  replay?: {
    from: number
    to: number
    rows: number
    credits: number
    markets: number
  }
  /** of a replay command: the moment that the replay has reached */
  at?: number
}

export interface BboFrame {
  channel: 'bbo'
  type: 'bbo'
  /** condition id, or `hyperliquid_perp:BTC` */
  market: string
  seq: number
  /** null on the first */
  prev_seq: number | null
  /** epoch ms, as the venue says */
  event_at: number
  received_at: number
  captured_at: number
  sent_at: number
  flags: string[]
  spot?: {
    price: number
    age_ms: number
  } | null
  up?: {
    bid: number
    bid_size: number
    ask: number
    ask_size: number
  }
  down?: {
    bid: number
    bid_size: number
    ask: number
    ask_size: number
  }
  book?: {
    bid: number
    bid_size: number
    ask: number
    ask_size: number
  }
}

export interface BookFrame {
  channel: 'book'
  type: 'snapshot' | 'delta'
  /** condition id, or `hyperliquid_perp:BTC` */
  market: string
  seq: number
  /** null on the first */
  prev_seq: number | null
  /** epoch ms, as the venue says */
  event_at: number
  received_at: number
  captured_at: number
  sent_at: number
  flags: string[]
  /** of crypto markets */
  spot?: {
    price: number
    age_ms: number
  } | null
  /** of a prediction market */
  up?: {
    bids: [number, number][]
    asks: [number, number][]
  }
  down?: {
    bids: [number, number][]
    asks: [number, number][]
  }
  /** of a perpetual future */
  book?: {
    bids: [number, number][]
    asks: [number, number][]
  }
}

export type Channel = 'book' | 'bbo' | 'trade' | 'market' | 'status'

export type ClientFrame = {
  /** comes back in the answer */
  id: string | number
  op: 'auth'
  key: string
} | {
  /** comes back in the answer */
  id: string | number
  op: 'subscribe'
  selectors: Selector[]
  channels?: Channel[]
  options?: StreamOptions
} | {
  /** comes back in the answer */
  id: string | number
  op: 'resume'
  selectors: Selector[]
  channels?: Channel[]
  options?: StreamOptions
  /** the last seq that arrived of each market, or a time for all */
  since: Record<string, number> | number | string
} | {
  /** comes back in the answer */
  id: string | number
  op: 'unsubscribe'
  selectors?: Selector[]
  channels?: Channel[]
} | {
  /** comes back in the answer */
  id: string | number
  op: 'replay'
  selectors: Selector[]
  channels?: Channel[]
  options?: StreamOptions
  /** epoch ms or ISO-8601 */
  from: number | string
  /** epoch ms or ISO-8601 */
  to: number | string
  speed?: number | 'max'
  /** true: only what it would cost */
  dry_run?: boolean
} | {
  /** comes back in the answer */
  id: string | number
  op: 'replay.pause'
} | {
  /** comes back in the answer */
  id: string | number
  op: 'replay.resume'
} | {
  /** comes back in the answer */
  id: string | number
  op: 'replay.seek'
  /** epoch ms or ISO-8601 */
  to: number | string
} | {
  /** comes back in the answer */
  id: string | number
  op: 'replay.speed'
  speed: number | 'max'
} | {
  /** comes back in the answer */
  id: string | number
  op: 'replay.stop'
} | {
  /** comes back in the answer */
  id: string | number
  op: 'ping'
}

export interface Closing {
  type: 'closing'
  code: string
  message: string
  /** whether it makes sense to come back */
  reconnect: boolean
  retry_after_ms?: number
}

export interface GapFrame {
  channel: 'book' | 'bbo'
  type: 'gap'
  market: string
  from_seq: number
  to_seq: number
  kind: 'missing' | 'suspect'
  /** why; null while it is not known; an open list, see the causes of list_gaps */
  cause: 'venue_silent' | 'disconnected' | 'hash_mismatch' | 'impossible_book' | 'resync' | 'late_slot' | 'capturer_down' | 'bus_unavailable' | 'clock_step' | 'not_listed_yet' | 'undecodable' | (string & {}) | null
  sent_at: number
}

export interface MarketFrame {
  channel: 'market'
  type: 'opened' | 'rolled' | 'settled' | 'resolved'
  market: string
  /** of a roll: whose window moved on */
  selector?: Selector
  /** of a roll: the market that it moved on from */
  previous?: string
  slug?: string
  /** of a resolution; null when it is neither */
  outcome?: 'UP' | 'DOWN' | null
  at: number
  sent_at: number
}

export interface ReplayEnded {
  type: 'replay_ended'
  reason: 'complete' | 'stopped' | 'out_of_credits' | 'failed'
  at: number
  rows: number
  credits: number
}

/** comes back in the answer */
export type RequestId = string | number

export type Selector = {
  market: string
} | {
  token: string
} | {
  slug: string
} | {
  coin: string
  timeframe: '5m' | '15m' | '1h' | '4h' | '1d'
} | {
  category: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities'
} | {
  symbol: string
  exchange?: 'hyperliquid_perp' | 'hyperliquid'
}

/** One frame of the server. */
export type ServerFrame = Welcome | Ack | StreamError | Closing | BookFrame | BboFrame | TradeFrame | MarketFrame | StatusFrame | GapFrame | SkippedFrame | ReplayEnded | {
  type: 'pong'
  /** comes back in the answer */
  id: string | number
  server_time: number
}

export interface SkippedFrame {
  channel: Channel
  type: 'skipped'
  market: string
  from_seq: number
  to_seq: number
  frames: number
  sent_at: number
}

export interface StatusFrame {
  channel: 'status'
  type: 'health' | 'dark' | 'live'
  /** of dark and live */
  market?: string
  since_seq?: number
  cause?: string
  /** of health: ok, degraded or down */
  status?: string
  at: number
  sent_at: number
}

export interface StreamError {
  type: 'error'
  /** comes back in the answer */
  id?: string | number
  code: string
  message: string
}

export interface StreamOptions {
  /** levels of each side; without it all */
  depth?: number
  /** a frame only for slots whose time is a multiple of it; without it every slot */
  interval_ms?: number
  /** delta: a whole book first, then what changed */
  mode?: 'snapshot' | 'delta'
}

export interface TradeFrame {
  channel: 'trade'
  type: 'trade'
  /** condition id, or `hyperliquid_perp:BTC` */
  market: string
  seq: number
  /** null on the first */
  prev_seq: number | null
  /** epoch ms, as the venue says */
  event_at: number
  received_at: number
  captured_at: number
  sent_at: number
  flags: string[]
  token: string
  side: 'UP' | 'DOWN'
  taker: 'BUY' | 'SELL'
  price: number
  size: number
  transaction: string | null
}

export interface Welcome {
  type: 'welcome'
  connection: string
  tier: string
  limits: {
    /** markets times channels on this connection at most */
    subscriptions: number
    used: number
    /** frames a client may send */
    messages_per_second: number
  }
  server_time: number
}

// Made by `npm run docs`, from the protocol of the stream. Changes here are lost.

export interface Ack {
  type: 'ack'
  /** returned in the response frame */
  id: string | number
  op: string
  accepted?: {
    selector: Selector
    channel: Channel
    markets: string[]
    /** the venues of these markets, each once */
    venues?: string[]
    /** only for a slug of one market: how it was found, as over REST */
    matched_by?: string
  }[]
  rejected?: {
    selector: Selector
    channel?: Channel
    reason: string
    message: string
  }[]
  limits?: {
    /** maximum subscriptions (markets × channels) on this connection */
    subscriptions: number
    used: number
    /** maximum frames per second that a client may send */
    messages_per_second: number
  }
  /** only for a replay: its size, and its maximum cost, also with seeks */
  replay?: {
    from: number
    to: number
    rows: number
    credits: number
    markets: number
  }
  /** only for a replay command: the time that the replay has reached */
  at?: number
}

export interface BboFrame {
  channel: 'bbo'
  type: 'bbo'
  /** condition id, or `hyperliquid_perp:BTC` */
  market: string
  seq: number
  /** null in the first frame */
  prev_seq: number | null
  /** time of the venue, epoch ms */
  event_at: number
  received_at: number
  captured_at: number
  sent_at: number
  flags: string[]
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
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
  /** null in the first frame */
  prev_seq: number | null
  /** time of the venue, epoch ms */
  event_at: number
  received_at: number
  captured_at: number
  sent_at: number
  flags: string[]
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
  /** venue of the market; only in a snapshot */
  venue?: string
  /** only of crypto markets */
  spot?: {
    price: number
    age_ms: number
  } | null
  /** only of prediction markets */
  up?: {
    bids: [number, number][]
    asks: [number, number][]
  }
  down?: {
    bids: [number, number][]
    asks: [number, number][]
  }
  /** only of perpetual futures */
  book?: {
    bids: [number, number][]
    asks: [number, number][]
  }
}

export type Channel = 'book' | 'bbo' | 'trade' | 'context' | 'market' | 'status'

export type ClientFrame = {
  /** returned in the response frame */
  id: string | number
  op: 'auth'
  key?: string
  /** instead of a key: the ticket of a page of the console */
  ticket?: string
} | {
  /** returned in the response frame */
  id: string | number
  op: 'subscribe'
  selectors: Selector[]
  channels?: Channel[]
  options?: StreamOptions
} | {
  /** returned in the response frame */
  id: string | number
  op: 'resume'
  selectors: Selector[]
  channels?: Channel[]
  options?: StreamOptions
  /** the last received seq of each market, or one time for all markets */
  since: Record<string, number> | number | string
} | {
  /** returned in the response frame */
  id: string | number
  op: 'unsubscribe'
  selectors?: Selector[]
  channels?: Channel[]
} | {
  /** returned in the response frame */
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
  /** true: return only the cost */
  dry_run?: boolean
} | {
  /** returned in the response frame */
  id: string | number
  op: 'replay.pause'
} | {
  /** returned in the response frame */
  id: string | number
  op: 'replay.resume'
} | {
  /** returned in the response frame */
  id: string | number
  op: 'replay.seek'
  /** epoch ms or ISO-8601 */
  to: number | string
} | {
  /** returned in the response frame */
  id: string | number
  op: 'replay.speed'
  speed: number | 'max'
} | {
  /** returned in the response frame */
  id: string | number
  op: 'replay.stop'
} | {
  /** returned in the response frame */
  id: string | number
  op: 'ping'
}

export interface Closing {
  type: 'closing'
  code: string
  message: string
  /** whether the client should reconnect */
  reconnect: boolean
  retry_after_ms?: number
}

export interface ContextFrame {
  channel: 'context'
  type: 'context'
  /** condition id, or `hyperliquid_perp:BTC` */
  market: string
  seq: number
  /** null in the first frame */
  prev_seq: number | null
  received_at: number
  captured_at: number
  sent_at: number
  /** rate of one hour as a fraction; longs pay shorts when it is positive */
  funding_rate: number
  /** null without a book, as mid_price and the impact prices */
  premium: number | null
  /** coins */
  open_interest: number
  mark_price: number
  /** spot price that the venue uses */
  oracle_price: number
  mid_price: number | null
  impact_bid: number | null
  impact_ask: number | null
  previous_day_price: number
  /** coins traded in 24 hours */
  day_volume: number
  day_notional_usd: number
}

export interface GapFrame {
  channel: 'book' | 'bbo'
  type: 'gap'
  market: string
  from_seq: number
  to_seq: number
  kind: 'missing' | 'suspect'
  /** null while it is not known; an open list, see the causes of list_gaps */
  cause: 'venue_silent' | 'disconnected' | 'hash_mismatch' | 'sequence_gap' | 'impossible_book' | 'resync' | 'late_slot' | 'capturer_down' | 'capturer_overloaded' | 'bus_unavailable' | 'clock_step' | 'not_listed_yet' | 'undecodable' | (string & {}) | null
  sent_at: number
}

export interface MarketFrame {
  channel: 'market'
  type: 'opened' | 'rolled' | 'settled' | 'resolved'
  market: string
  /** venue of the market */
  venue?: string
  /** rolled: the selector whose current window changed */
  selector?: Selector
  /** rolled: the market of the previous window */
  previous?: string
  slug?: string
  /** resolved: the outcome; null when it is neither */
  outcome?: 'UP' | 'DOWN' | null
  at: number
  sent_at: number
}

export interface PerpTradeFrame {
  channel: 'trade'
  type: 'perp_trade'
  /** condition id, or `hyperliquid_perp:BTC` */
  market: string
  seq: number
  /** null in the first frame */
  prev_seq: number | null
  /** time of the venue, epoch ms */
  event_at: number
  received_at: number
  captured_at: number
  sent_at: number
  flags: string[]
  /** the venue’s number of the trade; unique with the market */
  trade_id: number
  /** what the taker did */
  action: 'buy' | 'sell'
  price: number
  /** coins */
  size: number
  transaction_hash: string | null
}

export interface ReplayEnded {
  type: 'replay_ended'
  reason: 'complete' | 'stopped' | 'out_of_credits' | 'failed'
  at: number
  /** charged rows; a row that was sent again after a seek counts once */
  rows: number
  /** charged credits */
  credits: number
}

/** returned in the response frame */
export type RequestId = string | number

export type Selector = {
  market: string
} | {
  token: string
} | {
  slug: string
  /** only markets of this venue; `all` for every venue; default polymarket */
  venue?: 'polymarket' | 'kalshi' | 'all'
} | {
  coin: string
  timeframe: '5m' | '15m' | '1h' | '4h' | '1d'
  /** only markets of this venue; `all` for every venue; default polymarket */
  venue?: 'polymarket' | 'kalshi' | 'all'
} | {
  category: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities'
  /** only markets of this venue; `all` for every venue; default polymarket */
  venue?: 'polymarket' | 'kalshi' | 'all'
} | {
  symbol: string
  exchange?: 'hyperliquid_perp' | 'hyperliquid'
}

/** One frame of the server. */
export type ServerFrame = Welcome | Ack | StreamError | Closing | BookFrame | BboFrame | TradeFrame | PerpTradeFrame | ContextFrame | MarketFrame | StatusFrame | GapFrame | SkippedFrame | ReplayEnded | {
  type: 'pong'
  /** returned in the response frame */
  id: string | number
  server_time: number
}

export interface SkippedFrame {
  channel: Channel
  type: 'skipped'
  market: string
  from_seq: number
  to_seq: number
  /** 0 when their number is not known */
  frames: number
  sent_at: number
}

export interface StatusFrame {
  channel: 'status'
  type: 'health' | 'dark' | 'live'
  /** only in dark and live */
  market?: string
  since_seq?: number
  cause?: string
  /** only in health: ok, degraded or down */
  status?: string
  at: number
  sent_at: number
}

export interface StreamError {
  type: 'error'
  /** returned in the response frame */
  id?: string | number
  code: string
  message: string
}

export interface StreamOptions {
  /** maximum levels per side; without it, all */
  depth?: number
  /** send only slots whose time is a multiple of this; without it, every slot */
  interval_ms?: number
  /** delta: first a full book, then only the changes */
  mode?: 'snapshot' | 'delta'
}

export interface TradeFrame {
  channel: 'trade'
  type: 'trade'
  /** condition id, or `hyperliquid_perp:BTC` */
  market: string
  seq: number
  /** null in the first frame */
  prev_seq: number | null
  /** time of the venue, epoch ms */
  event_at: number
  received_at: number
  captured_at: number
  sent_at: number
  flags: string[]
  token: string
  side: 'UP' | 'DOWN'
  /** what the taker did */
  action: 'buy' | 'sell'
  price: number
  size: number
  transaction_hash: string | null
  /** 0, or the number of equal fills before this one in the same frame of the venue */
  occurrence: number
}

export interface Welcome {
  type: 'welcome'
  connection: string
  tier: string
  limits: {
    /** maximum subscriptions (markets × channels) on this connection */
    subscriptions: number
    used: number
    /** maximum frames per second that a client may send */
    messages_per_second: number
  }
  server_time: number
}

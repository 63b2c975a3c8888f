// Made by `npm run docs`, from the OpenAPI document. Changes here are lost.

/** A point in time: ISO 8601 with an offset, epoch milliseconds, or a Date. */
export type Moment = string | number | Date

/** The form of an answer: as described in the reference, or exactly the declared schema. */
export type Form = 'described' | 'declared'

export interface ErrorAnswer {
  /** stable code, listed in docs/errors.md */
  error: 'invalid_request' | 'sign_in_failed' | 'unauthenticated' | 'signature_refused' | 'out_of_credits' | 'tier_not_allowed' | 'scope_not_allowed' | 'key_limit_reached' | 'cross_site_refused' | 'host_not_allowed' | 'https_required' | 'sign_in_again' | 'market_not_found' | 'slug_not_found' | 'event_not_found' | 'no_recent_data' | 'no_data_at_time' | 'no_snapshot' | 'market_closed' | 'sample_not_found' | 'key_not_found' | 'invoice_not_found' | 'review_not_found' | 'account_not_found' | 'file_not_found' | 'not_found' | 'method_not_allowed' | 'idempotency_mismatch' | 'idempotency_spent' | 'rotation_running' | 'hour_not_finished' | 'invoice_limit_reached' | 'plan_arranged' | 'payload_too_large' | 'unsupported_media_type' | 'range_not_satisfiable' | 'rate_limited' | 'internal' | 'store_unavailable' | 'sign_in_not_configured' | 'sign_in_unavailable' | 'payments_not_configured' | 'processor_unavailable' | 'overloaded'
  /** explanation for people; the text may change */
  message: string
  /** HTTP status */
  status: number
  /** facts that help to correct the request */
  details?: Record<string, unknown>
  /** identifies this request; include it when you contact support */
  request_id: string
}

export interface Health {
  /** down: neither live books nor history can be served. degraded: something else is wrong */
  status: 'ok' | 'degraded' | 'down'
  /** history */
  analytics_store: 'ok' | 'degraded' | 'down' | 'off'
  /** live books, rate limits */
  cache: 'ok' | 'degraded' | 'down' | 'off'
  /** recording; ok: rows of the last seconds have arrived */
  pipeline: 'ok' | 'degraded' | 'down' | 'off'
  /** off: not part of this installation */
  websocket: 'ok' | 'degraded' | 'down' | 'off'
  /** accounts, keys and credits; without it, keys in use still work for a while */
  accounts: 'ok' | 'degraded' | 'down' | 'off'
  /** what you should know although every service works; normally empty. proof_rule_changed: the venue changed how it computes its hashes; recording continues with unverified rows */
  notices: Notice[]
  checked_at: string
}

export interface Notice {
  code: 'proof_rule_changed' | (string & {})
  venue: string
  /** what it means, and what an operator does */
  message: string
}

export interface PublicStats {
  /** stored token snapshots, two per market and slot */
  snapshot_count: number
  /** live or upcoming */
  active_markets: number
  /** spot price of each coin in USD; coins without a recent price are left out */
  prices: Record<string, number>
  exchange: {
    snapshots_last_5min: number
    /** null without a snapshot in the last five minutes */
    latest_snapshot: string | null
  }
}

export interface Status {
  /** now */
  status: 'ok' | 'degraded' | 'down'
  services: {
    service: 'api' | 'analytics_store' | 'cache' | 'pipeline' | 'websocket' | 'accounts'
    /** now */
    status: 'ok' | 'degraded' | 'down' | 'off'
    /** percent of the probes of these days that succeeded; null without probes */
    uptime: number | null
    /** the last 90 days including today, oldest first */
    days: UptimeDay[]
  }[]
  /** the newest 500 incidents of the last 90 days, newest first; an incident has at least 3 failed probes in a row, one every 10 s */
  incidents: Incident[]
  /** whether the 60 s averages that short windows settle on are being recorded now */
  settlement_prices: 'available' | 'not_available'
  /** what you should know although every service works; normally empty. proof_rule_changed: the venue changed how it computes its hashes; recording continues with unverified rows */
  notices: Notice[]
  checked_at: string
}

export interface UptimeDay {
  /** in UTC */
  date: string
  /** no_data: there is no probe of this day */
  state: 'measured' | 'no_data'
  /** percent of the probes of the day that succeeded; null without probes */
  uptime: number | null
  /** number of listed incidents that happened on this day */
  incidents: number
  /** number of probes made */
  probes: number
  /** number of probes that failed */
  failed_probes: number
  /** number of probes that were not made, since the first probe ever; they count neither as up nor as down */
  missing_probes: number
}

export interface Incident {
  service: 'api' | 'analytics_store' | 'cache' | 'pipeline' | 'websocket' | 'accounts'
  /** time of the first failed probe */
  started_at: string
  /** time of the first successful probe after it, or the end of the last failed probe when no probe followed for 60 s; null while it is open */
  ended_at: string | null
}

export interface Stats {
  /** time of the counts, up to some seconds ago */
  as_of: string
  total_snapshots: number
  total_markets: number
  active_markets: number
  categories: CategoryStats[]
  exchange: {
    snapshots_last_5min: number
    latest_snapshot: string | null
  }
  /** counters summed over all running processes, each since the start of its process; empty when no process reports */
  pipeline: Record<string, number>
}

export interface CategoryStats {
  category: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities'
  /** ever recorded */
  markets: number
  /** live or upcoming now */
  active_markets: number
  /** token snapshots, two per market and slot */
  snapshots: number
  first_snapshot: string | null
  latest_snapshot: string | null
}

export interface Debug {
  /** number of processes per role */
  processes: Record<string, number>
  /** per second */
  rates: Record<string, Record<string, number>>
  /** current values */
  depths: Record<string, Record<string, number>>
  /** since the process started */
  errors: Record<string, Record<string, number>>
  /** by category plan; empty while the cache is unavailable */
  plans: Record<string, {
    /** live or upcoming */
    active_markets: number
    /** markets with a row in the last seconds */
    recorded_now: number
    /** expected rows of these markets, from their intervals */
    rows_per_second: number
  }>
  /** what you should know although every service works; normally empty. proof_rule_changed: the venue changed how it computes its hashes; recording continues with unverified rows */
  notices: Notice[]
}

export interface Pack {
  id: string
  /** null: credits only */
  tier: 'free' | 'pro' | 'scale' | 'enterprise' | null
  priceUsd: number
  /** granted once, or every month with a tier */
  credits: number
  /** duration of the tier; 0 without one */
  months: number
}

export interface TierLimits {
  /** requests per minute */
  rpm: number
  /** concurrent WebSocket connections */
  wsMax: number
  /** hours of history that can be read; 0: no limit */
  historyHours: number
  mcp: 'read' | 'full'
  maxKeys: number
  creditsPerMonth: number
  categories: string[]
  /** exact books that an account gets free of charge each UTC day */
  freeBooksPerDay: number
  /** further exact books of an answer for 1 credit */
  booksPerCredit: number
}

export interface Currencies {
  currencies: Currency[]
}

export interface Currency {
  /** `currency` of a new invoice, such as btc */
  id: string
}

export interface Samples {
  samples: Sample[]
}

export interface Sample {
  market_id: string
  slug: string
  question: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** start of the hour */
  hour: string
  /** revision of the hour when the sample was made */
  revision: number
  /** token snapshots in the file */
  rows: number
  /** size of the file */
  bytes: number
  /** hash of the file */
  sha256: string
  /** of the recorded slots of the hour */
  coverage: Coverage
  gap_count: number
  /** gaps of the hour */
  gaps: GapEntry[]
  id: string
  made_at: string
  /** path of some of its snapshots as JSON */
  snapshots_path: string
  /** path of the Parquet file */
  file_path: string
}

export interface Coverage {
  /** slots of the range in which the market was recorded */
  expected_slots: number
  /** expected slots that have a row */
  stored_slots: number
  /** expected slots without a row */
  missing_slots: number
  /** stored divided by expected slots, rounded down; null when none was expected */
  share: number | null
  /** first slot that is counted */
  first_slot: number | null
  /** last slot that is counted */
  last_slot: number | null
  /** time of the first slot that is counted */
  first: string | null
  /** time of the last slot that is counted */
  last: string | null
}

export interface GapEntry {
  first_slot: number
  last_slot: number
  /** time of the first slot */
  from: string
  /** end of the last slot, not included */
  to: string
  /** why the rows are missing or in doubt. More causes may be added; accept those you don’t know */
  cause: 'venue_silent' | 'disconnected' | 'hash_mismatch' | 'sequence_gap' | 'impossible_book' | 'resync' | 'late_slot' | 'capturer_down' | 'capturer_overloaded' | 'bus_unavailable' | 'clock_step' | 'not_listed_yet' | 'undecodable' | (string & {})
  /** missing: there are no rows. suspect: there are rows, and they have the flag suspect */
  kind: 'missing' | 'suspect'
  /** when the gap was found */
  known_at: string
  /** how many slots it has */
  slots: number
  /** note of the recorder */
  detail: string
}

export interface SampleSnapshots {
  market_id: string
  slug: string
  question: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** start of the hour */
  hour: string
  /** revision of the hour when the sample was made */
  revision: number
  /** token snapshots in the file */
  rows: number
  /** size of the file */
  bytes: number
  /** hash of the file */
  sha256: string
  /** of the recorded slots of the hour */
  coverage: Coverage
  gap_count: number
  /** gaps of the hour */
  gaps: GapEntry[]
  id: string
  made_at: string
  /** path of some of its snapshots as JSON */
  snapshots_path: string
  /** path of the Parquet file */
  file_path: string
  snapshots: TokenSnapshot[]
}

export interface TokenSnapshot {
  condition_id: string
  token_id: string
  side: 'UP' | 'DOWN'
  /** time of the last change of the book, from the venue */
  event_timestamp: string
  /** time of the sample */
  capture_timestamp: string
  /** the slot; it grows by 1 with every sampling interval */
  sequence_number: number
  /** 0 when there are no bids */
  best_bid: number
  /** 1 when there are no asks */
  best_ask: number
  mid: number
  /** negative when the book is crossed */
  spread: number
  /** [price, size], best price first; left out with includebook=false */
  bids?: [number, number][]
  /** [price, size], best price first; left out with includebook=false */
  asks?: [number, number][]
  /** sum of the sizes of the best five bids */
  depth5_bid: number
  /** sum of the sizes of the best five asks */
  depth5_ask: number
  /** spot price of the coin; null where there is none */
  spot_crypto_usd: number | null
  /** age of the spot price at the time of capture */
  spot_crypto_age_ms: number | null
  flags: ('verified' | 'unverified' | 'mirrored' | 'one_sided' | 'crossed' | 'suspect' | (string & {}))[]
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
}

export interface SampleHeatMap {
  sample: string
  /** only this token */
  side: 'UP' | 'DOWN'
  tiles: HeatMap[]
}

export interface HeatMap {
  market_id: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** only this token */
  side: 'UP' | 'DOWN'
  /** start of the tile */
  from: string
  /** length of a column */
  column_ms: number
  columns: number
  /** price of the first row */
  price_from: number
  price_step: number
  rows: number
  /** a byte b above 0 is the size unit × 2^((b − 1) / steps_per_octave), within 6 %; 0 is none, and 1 is also every size below the unit */
  scale: {
    kind: 'log2'
    unit: number
    steps_per_octave: number
  }
  /** base64 of one byte for each column and row, column by column from the lowest price up: the largest sum of sizes in a slot of the column */
  bids: string
  /** the same for asks */
  asks: string
  /** best bid at the end of each column; null in a column without a row, 0 when that side was empty (1 for the asks of a market) */
  best_bid: (number | null)[]
  /** best ask at the end of each column; null in a column without a row, 0 when that side was empty (1 for the asks of a market) */
  best_ask: (number | null)[]
  /** slots of each column that have a row */
  stored: number[]
  /** slots of each column in the recorded range */
  expected: number[]
  /** slots of each column whose row is in doubt */
  suspect: number[]
  /** false while rows may still come */
  is_final: boolean
  /** 1, and 1 more for each correction of an hour of the tile */
  revision: number
}

export interface Category {
  /** id of the category plan */
  id: string
  category: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities'
  displayName: string
  /** markets of this plan that are live or upcoming */
  activeMarkets: number
  /** milliseconds between two snapshots of a new market; a recorded market keeps its interval */
  captureIntervalMs: number
  /** time between two searches for new markets */
  refreshIntervalMs: number
}

export interface LiveMarket {
  conditionId: string
  category: string
  /** coin, league, topic or city */
  subcategory: string
  label: string
  tokenIds: [string, string]
  /** UP and DOWN for crypto windows, else Yes and No */
  outcomes: [string, string]
  /** id of the category plan */
  configId: string
  slug: string
  expired: boolean
  /** milliseconds until the end; 0 after it */
  expiresIn: number
  question: string
  eventTitle: string
  /** start of the window or game */
  startDate: string | null
  endDate: string
  timeframe: string
  status: 'live' | 'upcoming' | 'settling' | 'expired'
  /** names of the outcomes at the venue */
  outcomeNames: [string, string]
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** the token that won; left out until then */
  resolvedOutcome?: 'UP' | 'DOWN' | 'SPLIT'
  resolvedAt?: string
  /** price in USD at the start of an up/down window of a coin */
  priceToBeat?: number
  /** twap60 (mean of Chainlink over 60 s) or binance from the recorded series, or the venue that stated it, such as polymarket */
  priceToBeatSource?: string
  /** time of the price */
  priceToBeatAt?: string
  /** price in USD at the end of the window; at or above is Up */
  settlementPrice?: number
  /** like price_to_beat_source */
  settlementPriceSource?: string
  settlementPriceAt?: string
}

export interface DeclaredMarketList {
  markets: DeclaredMarket[]
}

export interface DeclaredMarket {
  condition_id: string
  slug: string
  question: string
  category: string
  /** coin, league, topic or city */
  subcategory: string
  timeframe: string
  /** it has not ended */
  active: boolean
  tokens: [DeclaredToken, DeclaredToken]
  /** only when the request names another venue than the default, or all */
  venue?: string
}

export interface DeclaredToken {
  token_id: string
  /** UP: the first token, also of Yes and No */
  side: 'UP' | 'DOWN'
}

export interface Quotes {
  quotes: Quote[]
  /** the requested markets that have no live book, and why */
  without_quote: WithoutQuote[]
  /** markets that match; those after the first `limit` are left out */
  total_markets: number
}

export interface Quote {
  market_id: string
  slug: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** best bid of the UP token; null when that side of the book is empty */
  up_bid: number | null
  /** its size; null when that side of the book is empty */
  up_bid_size: number | null
  /** best ask of the UP token; null when that side of the book is empty */
  up_ask: number | null
  /** its size; null when that side of the book is empty */
  up_ask_size: number | null
  /** best bid of the DOWN token; null when that side of the book is empty */
  down_bid: number | null
  /** its size; null when that side of the book is empty */
  down_bid_size: number | null
  /** best ask of the DOWN token; null when that side of the book is empty */
  down_ask: number | null
  /** its size; null when that side of the book is empty */
  down_ask_size: number | null
  /** when the books were sampled */
  captured_at: string
  /** the slot; it grows by 1 with every sampling interval */
  sequence_number: number
  /** age of the sample */
  age_ms: number
  /** there is no current book; this is the last trusted one */
  stale: boolean
}

export interface WithoutQuote {
  market_id: string
  /** the error with which the live book of this market would answer; market_not_found: it is not listed. over_limit: a given id after the first `limit`, which was not read */
  reason: 'market_not_found' | 'market_closed' | 'no_recent_data' | 'tier_not_allowed' | 'store_unavailable' | 'over_limit'
}

export interface MarketHit {
  market_id: string
  slug: string
  question: string
  event_title: string
  category: string
  /** coin, league, topic or city */
  subcategory: string
  timeframe: string
  status: 'live' | 'upcoming' | 'settling' | 'expired'
  end_date: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** higher is better; comparable only within one answer */
  score: number
}

export interface MarketEvents {
  /** events that match the filters, on all pages */
  total_events: number
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  events: MarketEvent[]
}

export interface MarketEvent {
  /** slug of the event at the venue */
  event: string
  title: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  category: string
  /** coin, league, topic or city */
  subcategory: string
  timeframe: string
  /** of its most current market: live, else upcoming, settling or expired */
  status: 'live' | 'upcoming' | 'settling' | 'expired'
  /** all markets of the event, also ended ones */
  markets: number
  /** earliest start of its markets; null when none has a start */
  start_date: string | null
  /** latest end of its markets */
  end_date: string
}

export interface MarketEventDetails {
  /** slug of the event at the venue */
  event: string
  title: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  category: string
  /** coin, league, topic or city */
  subcategory: string
  timeframe: string
  /** earliest start of its markets; null when none has a start */
  start_date: string | null
  /** latest end of its markets */
  end_date: string
  /** all markets of the event, on all pages */
  total_markets: number
  markets: EventMarket[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
}

export interface EventMarket {
  market_id: string
  slug: string
  question: string
  /** short name of the market within its event */
  label: string
  status: 'live' | 'upcoming' | 'settling' | 'expired'
  /** of UP and DOWN */
  outcome_names: string[]
  start_date: string | null
  end_date: string
  /** null: not resolved yet */
  resolved_outcome: 'UP' | 'DOWN' | 'SPLIT' | null
  resolved_at: string | null
}

export interface SingleMarket {
  market_id: string
  category: string
  subcategory: string
  label: string
  question: string
  /** the coin; empty for other categories, and left out for ended markets of them */
  crypto?: string
  /** spot price in USD now, or at the end of an ended market; left out when it is unknown; 0 for live markets of other categories */
  crypto_price?: number
  timeframe: string
  slug: string
  token_ids: [string, string]
  /** Up and Down for crypto windows, else Yes and No */
  outcomes: [string, string]
  token_id_up: string
  token_id_down: string
  end_date: string
  active: boolean
  expired: boolean
  /** milliseconds until the end; 0 after it */
  expires_in: number
  status: 'live' | 'upcoming' | 'settling' | 'expired'
  /** start of the window or game */
  start_date?: string
  /** names of the outcomes at the venue */
  outcome_names?: [string, string]
  event_title?: string
  neg_risk_id?: string
  /** the token that won; left out until the market is resolved */
  resolved_outcome?: 'UP' | 'DOWN' | 'SPLIT'
  resolved_at?: string
  /** only for a market without a metadata row: it is described by what was recorded of its listing, or only by its rows; then unknown texts are empty and end_date is the last slot */
  described_by?: 'recorded_facts' | 'capture_statistics'
  /** first recorded slot; only with described_by, like last_seen and snapshot_count */
  first_seen?: string
  last_seen?: string
  /** sampling interval */
  capture_interval_ms: number
  /** token snapshots, two per slot */
  snapshot_count?: number
  /** how the market was found. window_at_time: it contains the time in the slug. current_window: the slug names a coin and a length, and no time that a recorded window contains. trigram: by similarity */
  matched_by: 'exact' | 'window_at_time' | 'current_window' | 'prefix' | 'trigram' | 'condition_id'
  /** the slug of the request, when it is not the exact slug of the market */
  requested_slug?: string
  /** where crypto_price comes from; chainlink is used when binance has no price of the coin */
  crypto_price_source?: 'binance' | 'chainlink'
  /** price in USD at the start of an up/down window of a coin */
  price_to_beat?: number
  /** twap60 (mean of Chainlink over 60 s) or binance from the recorded series, or the venue that stated it, such as polymarket */
  price_to_beat_source?: string
  /** time of the price */
  price_to_beat_at?: string
  /** price in USD at the end of the window; at or above is Up */
  settlement_price?: number
  /** like price_to_beat_source */
  settlement_price_source?: string
  settlement_price_at?: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** its event: see `GET /v1/events/{event}` */
  event_slug?: string
}

export interface SlugOrderbook {
  market_id: string
  /** same as market_id */
  marketId: string
  category: string
  subcategory: string
  label: string
  question: string
  timeframe: string
  slug: string
  /** the coin; empty for other categories */
  crypto: string
  /** spot price of the coin in USD; left out when it is unknown; 0 for other categories */
  crypto_price?: number
  /** same as crypto_price */
  cryptoPrice?: number
  /** where crypto_price comes from */
  crypto_price_source?: 'binance' | 'chainlink'
  /** there is no current book; this is the last trusted one */
  stale: boolean
  /** age of the sample */
  age_ms: number
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  up: TokenBook
  down: TokenBook
  /** how the market was found. window_at_time: it contains the time in the slug. current_window: the slug names a coin and a length, and no time that a recorded window contains. trigram: by similarity */
  matched_by: 'exact' | 'window_at_time' | 'current_window' | 'prefix' | 'trigram' | 'condition_id'
  /** the slug of the request, when it is not the exact slug of the market */
  requested_slug?: string
}

export interface TokenBook {
  tokenId: string
  /** same as captureTimestamp */
  timestamp: number
  /** epoch ms of the last change of the book, from the venue */
  eventTimestamp: number
  /** epoch ms of the sample */
  captureTimestamp: number
  /** the slot; it grows by 1 with every sampling interval */
  sequenceNumber: number
  /** 0 for up, 1 for down */
  outcomeIndex: number
  /** 0 when there are no bids */
  bestBid: number
  /** 1 when there are no asks */
  bestAsk: number
  midPrice: number
  spread: number
  /** sum of the sizes of all bids */
  bidDepth: number
  /** sum of the sizes of all asks */
  askDepth: number
  flags: ('verified' | 'unverified' | 'mirrored' | 'one_sided' | 'crossed' | 'suspect' | (string & {}))[]
  /** best price first; left out with includebook=false */
  bids?: Level[]
  asks?: Level[]
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
}

export interface Level {
  price: number
  size: number
}

export interface DeclaredSlugOrderbook {
  market_id: string
  /** same as market_id */
  marketId: string
  category: string
  subcategory: string
  label: string
  question: string
  timeframe: string
  slug: string
  /** the coin; empty for other categories */
  crypto: string
  /** spot price of the coin in USD; left out when it is unknown; 0 for other categories */
  crypto_price?: number
  /** same as crypto_price */
  cryptoPrice?: number
  /** where crypto_price comes from */
  crypto_price_source?: 'binance' | 'chainlink'
  /** there is no current book; this is the last trusted one */
  stale: boolean
  /** age of the sample */
  age_ms: number
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  up: DeclaredTokenBook
  down: DeclaredTokenBook
  /** how the market was found. window_at_time: it contains the time in the slug. current_window: the slug names a coin and a length, and no time that a recorded window contains. trigram: by similarity */
  matched_by: 'exact' | 'window_at_time' | 'current_window' | 'prefix' | 'trigram' | 'condition_id'
  /** the slug of the request, when it is not the exact slug of the market */
  requested_slug?: string
}

export interface DeclaredTokenBook {
  token_id: string
  side: 'UP' | 'DOWN'
  /** 0 when there are no bids */
  best_bid: number
  /** 1 when there are no asks */
  best_ask: number
  mid: number
  /** negative when the book is crossed */
  spread: number
  /** [price, size], best price first; left out with includebook=false */
  bids?: [number, number][]
  /** [price, size], best price first; left out with includebook=false */
  asks?: [number, number][]
  /** sum of the sizes of the best five bids */
  depth5_bid: number
  /** sum of the sizes of the best five asks */
  depth5_ask: number
}

export interface MarketOrderbook {
  market_id: string
  /** same as market_id */
  marketId: string
  category: string
  subcategory: string
  label: string
  question: string
  timeframe: string
  slug: string
  /** the coin; empty for other categories */
  crypto: string
  /** spot price of the coin in USD; left out when it is unknown; 0 for other categories */
  crypto_price?: number
  /** same as crypto_price */
  cryptoPrice?: number
  /** where crypto_price comes from */
  crypto_price_source?: 'binance' | 'chainlink'
  /** there is no current book; this is the last trusted one */
  stale: boolean
  /** age of the sample */
  age_ms: number
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  up: TokenBook
  down: TokenBook
}

export interface DeclaredOrderbook {
  market_id: string
  /** same as market_id */
  marketId: string
  category: string
  subcategory: string
  label: string
  question: string
  timeframe: string
  slug: string
  /** the coin; empty for other categories */
  crypto: string
  /** spot price of the coin in USD; left out when it is unknown; 0 for other categories */
  crypto_price?: number
  /** same as crypto_price */
  cryptoPrice?: number
  /** where crypto_price comes from */
  crypto_price_source?: 'binance' | 'chainlink'
  /** there is no current book; this is the last trusted one */
  stale: boolean
  /** age of the sample */
  age_ms: number
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  up: DeclaredTokenBook
  down: DeclaredTokenBook
}

export interface TokenDepth {
  /** the token */
  side: 'UP' | 'DOWN'
  token_id: string
  mid: number
  /** mean of best bid and best ask, each weighted with the size of the other side */
  microprice: number
  /** shares of all bids within the distance from mid */
  bid_size: number
  /** shares of all asks within the distance from mid */
  ask_size: number
  /** from -1 (only asks) to 1 (only bids) */
  imbalance: number
  flags: ('verified' | 'unverified' | 'mirrored' | 'one_sided' | 'crossed' | 'suspect' | (string & {}))[]
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
}

export interface MarketSummary {
  market_id: string
  category: string
  /** the coin; empty for other categories */
  crypto: string
  timeframe: string
  subcategory: string
  label: string
  question: string
  /** token snapshots, two per slot */
  snapshot_count: number
  first_seen: string | null
  last_seen: string | null
  /** of the UP token, like all prices, spreads and depths outside of `sides` */
  avg_mid_price: number | null
  min_mid_price: number | null
  max_mid_price: number | null
  avg_spread: number | null
  /** negative when a book was crossed */
  min_spread: number | null
  max_spread: number | null
  /** null when no spot price was recorded */
  avg_crypto_price: number | null
  min_crypto_price: number | null
  max_crypto_price: number | null
  avg_bid_depth: number | null
  avg_ask_depth: number | null
  sides: SideSummary[]
  /** time range of all figures */
  window: {
    from: string
    /** not included */
    to: string
  } | null
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** of the slots of the window */
  coverage: Coverage
  /** stored slots in which both books have the venue’s hash; 0 where it publishes none */
  verified_slots: number
  /** stored slots in which a book is crossed */
  crossed_slots: number
  /** gaps that touch the window, by kind */
  gap_counts: {
    missing: number
    suspect: number
  }
  /** stored slots in which the proof that the venue offers does not hold for a book; 0 where it offers none */
  unverified_slots: number
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
  /** price in USD at the start of an up/down window of a coin */
  price_to_beat?: number
  /** twap60 (mean of Chainlink over 60 s) or binance from the recorded series, or the venue that stated it, such as polymarket */
  price_to_beat_source?: string
  /** time of the price */
  price_to_beat_at?: string
  /** price in USD at the end of the window; at or above is Up */
  settlement_price?: number
  /** like price_to_beat_source */
  settlement_price_source?: string
  settlement_price_at?: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
}

export interface SideSummary {
  token_side: 'UP' | 'DOWN'
  snapshots: number
  avg_bid: number
  avg_ask: number
  avg_mid: number
  max_bid: number
  min_ask: number
}

export interface MarketHistory {
  /** markets that match the filters, on all pages */
  total_markets: number
  total_snapshots: number
  live_count: number
  closed_count: number
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  empty_reason?: string
  /** newest market first */
  markets: HistoryEntry[]
}

export interface HistoryEntry {
  /** the coin; empty for other categories */
  crypto: string
  timeframe: string
  market_id: string
  category: string
  subcategory: string
  /** first slot recorded */
  first_seen: string
  /** last slot recorded */
  last_seen: string
  /** token snapshots, two per slot; an integer as text */
  snapshot_count: string
  /** the market has not ended */
  is_live: boolean
  end_date: string
  question: string
  slug: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** the token that won; left out until then */
  resolved_outcome?: 'UP' | 'DOWN' | 'SPLIT'
  resolved_at?: string
  /** price in USD at the start of an up/down window of a coin */
  price_to_beat?: number
  /** twap60 (mean of Chainlink over 60 s) or binance from the recorded series, or the venue that stated it, such as polymarket */
  price_to_beat_source?: string
  /** time of the price */
  price_to_beat_at?: string
  /** price in USD at the end of the window; at or above is Up */
  settlement_price?: number
  /** like price_to_beat_source */
  settlement_price_source?: string
  settlement_price_at?: string
  /** slots with a snapshot divided by all slots from the first to the last snapshot, rounded down */
  share: number
}

export interface SnapshotList {
  snapshots: TokenSnapshot[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** gaps that touch the slots of this page */
  gaps: Gap[]
  /** of the slots of this page; a slot that two pages share counts in both */
  coverage: Coverage
  market_id: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** why there are no rows */
  empty_reason?: string
}

export interface Gap {
  first_slot: number
  last_slot: number
  /** time of the first slot */
  from: string
  /** end of the last slot, not included */
  to: string
  /** why the rows are missing or in doubt. More causes may be added; accept those you don’t know */
  cause: 'venue_silent' | 'disconnected' | 'hash_mismatch' | 'sequence_gap' | 'impossible_book' | 'resync' | 'late_slot' | 'capturer_down' | 'capturer_overloaded' | 'bus_unavailable' | 'clock_step' | 'not_listed_yet' | 'undecodable' | (string & {})
  /** missing: there are no rows. suspect: there are rows, and they have the flag suspect */
  kind: 'missing' | 'suspect'
  /** when the gap was found */
  known_at: string
}

export interface SnapshotDryRun {
  dry_run: true
  /** token snapshots in the whole range */
  rows: number
  /** calls with this limit that read all rows */
  calls: number
  /** cost of these calls */
  credits: number
  limit: number
  /** first time in the range at which the market was recorded */
  from: string | null
  /** end of the last slot in the range at which the market was recorded, not included */
  to: string | null
  gap_count: number
  /** the first 100 gaps */
  gaps: Gap[]
  coverage: Coverage
  market_id: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** why there are no rows */
  empty_reason?: string
}

export interface DeclaredSnapshotList {
  snapshots: DeclaredSnapshot[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** gaps that touch the slots of this page */
  gaps: Gap[]
  /** of the slots of this page; a slot that two pages share counts in both */
  coverage: Coverage
  market_id: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** why there are no rows */
  empty_reason?: string
}

export interface DeclaredSnapshot {
  condition_id: string
  token_id: string
  side: 'UP' | 'DOWN'
  /** time of the last change of the book, from the venue */
  event_timestamp: string
  /** time of the sample */
  capture_timestamp: string
  /** the slot; it grows by 1 with every sampling interval */
  sequence_number: number
  /** 0 when there are no bids */
  best_bid: number
  /** 1 when there are no asks */
  best_ask: number
  mid: number
  /** negative when the book is crossed */
  spread: number
  /** [price, size], best price first; left out with includebook=false */
  bids?: [number, number][]
  /** [price, size], best price first; left out with includebook=false */
  asks?: [number, number][]
  /** sum of the sizes of the best five bids */
  depth5_bid: number
  /** sum of the sizes of the best five asks */
  depth5_ask: number
  /** spot price of the coin; null where there is none */
  spot_crypto_usd: number | null
  /** age of the spot price at the time of capture */
  spot_crypto_age_ms: number | null
}

export interface PairedSnapshot {
  condition_id: string
  token_id: string
  side: 'UP' | 'DOWN'
  /** time of the last change of the book, from the venue */
  event_timestamp: string
  /** time of the sample */
  capture_timestamp: string
  /** the slot; it grows by 1 with every sampling interval */
  sequence_number: number
  /** 0 when there are no bids */
  best_bid: number
  /** 1 when there are no asks */
  best_ask: number
  mid: number
  /** negative when the book is crossed */
  spread: number
  /** [price, size], best price first; left out with includebook=false */
  bids?: [number, number][]
  /** [price, size], best price first; left out with includebook=false */
  asks?: [number, number][]
  /** sum of the sizes of the best five bids */
  depth5_bid: number
  /** sum of the sizes of the best five asks */
  depth5_ask: number
  /** spot price of the coin; null where there is none */
  spot_crypto_usd: number | null
  /** age of the spot price at the time of capture */
  spot_crypto_age_ms: number | null
  flags: ('verified' | 'unverified' | 'mirrored' | 'one_sided' | 'crossed' | 'suspect' | (string & {}))[]
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
  /** the other token at the same slot */
  counterpart: TokenSnapshot
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
}

export interface PerpBook {
  exchange: string
  symbol: string
  /** time of the sample */
  timestamp: string
  /** null when the book has no bids */
  best_bid: number | null
  /** null when the book has no asks */
  best_ask: number | null
  /** null when a side is empty */
  mid_price: number | null
  /** null when a side is empty */
  spread: number | null
  /** sum of the sizes of all bids */
  bid_depth_total: number
  /** sum of the sizes of all asks */
  ask_depth_total: number
  /** [price, size], best price first, up to 20 */
  bids: [number, number][]
  /** [price, size], best price first, up to 20 */
  asks: [number, number][]
  /** the slot; it grows by 1 with every sampling interval */
  sequence_number: number
  /** time of the book, from the venue */
  event_timestamp: string
  /** best bid from a faster stream; it is not merged into the book; null without one */
  touch_bid: number | null
  touch_bid_size: number | null
  /** best ask from a faster stream; null without one */
  touch_ask: number | null
  touch_ask_size: number | null
  touch_timestamp: string | null
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
  /** the venue of the exchange */
  venue: string
}

export interface PerpCoverage {
  exchange: string
  symbol: string
  /** the venue of the exchange */
  venue: string
  capture_interval_ms: number
  by: 'hour' | 'day'
  /** start of the range, in whole hours or days, but not before what the tier includes */
  from: string
  /** not included */
  to: string
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** from this time on the data is for tiers with the live exchange book, and is therefore left out */
  restricted_from?: string
  /** by time; hours and days in which nothing was recorded are left out */
  parts: CoveragePart[]
  empty_reason?: string
}

export interface CoveragePart {
  /** start of the hour or day, in UTC */
  start: string
  /** slots of it in the recorded range */
  expected_slots: number
  /** expected slots that have a row */
  stored_slots: number
  missing_slots: number
  /** slots whose row is in doubt */
  suspect_slots: number
  /** stored divided by expected slots, rounded down */
  share: number
  /** available: every slot has a row that is not in doubt. degraded: some are missing or in doubt. missing: none has a row. pending: rows may still come */
  condition: 'available' | 'degraded' | 'missing' | 'pending'
  /** slots that the gap records of each cause cover; records of several causes may overlap */
  causes: Record<string, number>
}

export interface PerpHeatMap {
  exchange: string
  symbol: string
  /** the venue of the exchange */
  venue: string
  /** start of the tile */
  from: string
  /** length of a column */
  column_ms: number
  columns: number
  /** price of the first row */
  price_from: number
  price_step: number
  rows: number
  /** a byte b above 0 is the size unit × 2^((b − 1) / steps_per_octave), within 6 %; 0 is none, and 1 is also every size below the unit */
  scale: {
    kind: 'log2'
    unit: number
    steps_per_octave: number
  }
  /** base64 of one byte for each column and row, column by column from the lowest price up: the largest sum of sizes in a slot of the column */
  bids: string
  /** the same for asks */
  asks: string
  /** best bid at the end of each column; null in a column without a row, 0 when that side was empty (1 for the asks of a market) */
  best_bid: (number | null)[]
  /** best ask at the end of each column; null in a column without a row, 0 when that side was empty (1 for the asks of a market) */
  best_ask: (number | null)[]
  /** slots of each column that have a row */
  stored: number[]
  /** slots of each column in the recorded range */
  expected: number[]
  /** slots of each column whose row is in doubt */
  suspect: number[]
  /** false while rows may still come */
  is_final: boolean
  /** from this time on the data is for tiers with the live exchange book, and is therefore left out */
  restricted_from?: string
}

export interface TradeGap {
  /** trades from here on may be missing */
  from: string
  /** not included */
  to: string
  /** why the rows are missing or in doubt. More causes may be added; accept those you don’t know */
  cause: 'venue_silent' | 'disconnected' | 'hash_mismatch' | 'sequence_gap' | 'impossible_book' | 'resync' | 'late_slot' | 'capturer_down' | 'capturer_overloaded' | 'bus_unavailable' | 'clock_step' | 'not_listed_yet' | 'undecodable' | (string & {})
  /** when the loss was found */
  known_at: string
}

export interface TradeCoverage {
  /** start of the time that the page is about */
  from: string | null
  /** not included */
  to: string | null
  /** milliseconds in which trades may be missing */
  uncertain_ms: number
  /** share of the time in which no trade can be missing, rounded down; null when the page has no time */
  share: number | null
}

export interface PerpTrade {
  exchange: string
  symbol: string
  /** the venue’s number of the trade; unique with the symbol */
  trade_id: number
  /** what the taker did */
  action: 'buy' | 'sell'
  price: number
  /** coins */
  size: number
  /** time of the trade, from the venue */
  traded_at: string
  /** time of receipt; after a lost connection the venue repeats the last trades */
  received_at: string
  /** null for a trade without a transaction of a user */
  transaction_hash: string | null
}

export interface Funding {
  exchange: string
  symbol: string
  /** time of receipt, because the venue gives no time */
  received_at: string
  /** rate of one hour as a fraction, 0.0000125 is 0.00125 %; longs pay shorts when it is positive */
  funding_rate: number
  /** impact price relative to the oracle price, as a fraction; null without a book */
  premium: number | null
}

export interface OpenInterest {
  exchange: string
  symbol: string
  /** time of receipt, because the venue gives no time */
  received_at: string
  /** coins in open positions, one side counted */
  open_interest: number
  /** `open_interest` times the mark price */
  open_interest_usd: number
  /** coins traded in 24 hours */
  day_volume: number
  /** their value in USD */
  day_notional_usd: number
}

export interface PerpPrice {
  exchange: string
  symbol: string
  /** time of receipt, because the venue gives no time */
  received_at: string
  /** price by which the venue values positions */
  mark_price: number
  /** spot price that the venue uses; basis of the funding rate */
  oracle_price: number
  /** who sets the oracle price */
  oracle_source: string
  /** middle of the book, from the venue; null without a book */
  mid_price: number | null
  /** mean price of selling an amount that the venue fixes; null without a book */
  impact_bid: number | null
  /** mean price of buying that amount; null without a book */
  impact_ask: number | null
  /** price of 24 hours before */
  previous_day_price: number
}

export interface PerpBar {
  /** start of the bar, aligned to the Unix epoch */
  start: string
  /** mid price of the first book with both sides; null in a bar without one */
  open: number | null
  high: number | null
  low: number | null
  /** mid price of the last book */
  close: number | null
  last_spread: number | null
  avg_spread: number | null
  /** mean size of all bids, in coins */
  avg_bid_depth: number | null
  avg_ask_depth: number | null
  snapshot_count: number
  /** slots of the bar in the recorded time; more than snapshot_count where there is a gap */
  expected_count: number
}

export interface PerpGapReport {
  exchange: string
  symbol: string
  /** the venue of the exchange */
  venue: string
  /** sampling interval */
  capture_interval_ms: number
  /** time of the first slot with a row */
  recorded_from: string | null
  /** end of the last slot with a row or a gap */
  recorded_to: string | null
  /** start of the counted range: the requested range cut to what was recorded */
  from: string | null
  /** not included */
  to: string | null
  /** of the slots from `from` to `to` */
  coverage: Coverage
  /** missing slots without a gap; more than 0 is a bug of the service */
  unaccounted_slots: number
  /** gaps that match the filters, on all pages */
  gap_count: number
  /** by start, cut to the range */
  gaps: GapEntry[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** from this time on the data is for tiers with the live exchange book, and is therefore left out */
  restricted_from?: string
  empty_reason?: string
}

export interface PerpHourReport {
  exchange: string
  symbol: string
  /** the venue of the exchange */
  venue: string
  hour: string
  /** books in the file, one for each slot that has a row */
  rows: number
  /** cost of the file: 1 credit for every 1000 rows, rounded up */
  credits: number
  /** size of the file; null until it is written */
  bytes: number | null
  /** null until the file is written */
  sha256: string | null
  /** of the recorded slots of the hour */
  coverage: Coverage
  gap_count: number
  /** gaps of the hour */
  gaps: GapEntry[]
  empty_reason?: string
}

export interface ExecutionPrice {
  market_id: string
  token_id: string
  /** the token */
  side: 'UP' | 'DOWN'
  action: 'buy' | 'sell'
  /** requested shares; null when `notional` was given */
  size: number | null
  /** requested USD; null when `size` was given */
  notional: number | null
  /** mean price of the filled part; null when nothing is filled */
  vwap: number | null
  /** best price of the side; null when it is empty */
  best_price: number | null
  /** last price that is used */
  worst_price: number | null
  mid: number
  /** vwap relative to the best price; positive is worse */
  slippage: number | null
  slippage_bps: number | null
  /** vwap relative to the mid price; positive is worse */
  slippage_mid: number | null
  slippage_mid_bps: number | null
  levels_used: number
  /** shares */
  filled_size: number
  /** USD paid or received */
  filled_notional: number
  /** shares, or USD when `notional` was given */
  unfilled: number
  /** filled part of the request */
  fill_share: number
  /** the book fills the whole request */
  complete: boolean
  sequence_number: number
  capture_timestamp: string
  event_timestamp: string
  /** age of the book, now or at the requested time */
  age_ms: number
  flags: ('verified' | 'unverified' | 'mirrored' | 'one_sided' | 'crossed' | 'suspect' | (string & {}))[]
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
}

export interface MarketAsOf {
  /** the entry of `markets` */
  requested: string
  market_id: string | null
  slug: string | null
  matched_by: 'exact' | 'window_at_time' | 'current_window' | 'prefix' | 'trigram' | 'condition_id' | null
  /** ok, or why there is no book */
  status: 'ok' | 'gap' | 'outside_capture' | 'not_recorded_yet' | 'retention' | 'unknown'
  cause: 'venue_silent' | 'disconnected' | 'hash_mismatch' | 'sequence_gap' | 'impossible_book' | 'resync' | 'late_slot' | 'capturer_down' | 'capturer_overloaded' | 'bus_unavailable' | 'clock_step' | 'not_listed_yet' | 'undecodable' | (string & {}) | null
  gap: Gap | null
  /** age of the sample at the requested time; never negative */
  age_ms: number | null
  up: TokenSnapshot | null
  down: TokenSnapshot | null
  spot_crypto_usd: number | null
  /** age at the requested time */
  spot_crypto_age_ms: number | null
  /** book of the perpetual future of the market’s coin */
  perp: PerpAsOf | null
  venue: string | null
}

export interface PerpAsOf {
  exchange: string
  symbol: string
  capture_timestamp: string
  /** at the requested time */
  age_ms: number
  /** time of the book, from the venue */
  event_timestamp: string
  /** at the requested time */
  event_age_ms: number
  best_bid: number
  best_ask: number
  mid_price: number
  spread: number
  /** sum of the sizes of all bids */
  bid_depth_total: number
  /** sum of the sizes of all asks */
  ask_depth_total: number
  /** best bid from a faster stream; it is not merged into the book; null without one */
  touch_bid: number | null
  touch_bid_size: number | null
  /** best ask from a faster stream; null without one */
  touch_ask: number | null
  touch_ask_size: number | null
  touch_age_ms: number | null
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
  /** price and size, best price first; left out with includebook=false */
  bids?: [number, number][]
  /** [price, size], best price first, up to 20 */
  asks?: [number, number][]
  /** the venue of the exchange */
  venue: string
}

export interface Bar {
  /** start of the bar, aligned to the Unix epoch */
  start: string
  /** mid price of the first snapshot; null in a bar without snapshots */
  open: number | null
  high: number | null
  low: number | null
  /** mid price of the last snapshot */
  close: number | null
  last_spread: number | null
  avg_spread: number | null
  /** mean size of the best five bids */
  avg_depth5_bid: number | null
  avg_depth5_ask: number | null
  /** mean size of all bids */
  avg_bid_depth: number | null
  avg_ask_depth: number | null
  /** spot price of the coin in USD; null without one */
  spot_open: number | null
  spot_high: number | null
  spot_low: number | null
  spot_close: number | null
  snapshot_count: number
  /** slots of the bar in the recorded time; more than snapshot_count where there is a gap */
  expected_count: number
}

export interface Trade {
  market_id: string
  token_id: string
  /** the traded token */
  side: 'UP' | 'DOWN'
  /** what the taker did */
  action: 'buy' | 'sell'
  price: number
  /** shares */
  size: number
  /** time of the trade, from the venue */
  traded_at: string
  /** time of receipt */
  received_at: string
  /** several trades may share one; null when the venue sent none */
  transaction_hash: string | null
  /** 0, or how many fills that are equal in everything else came before it in the same message of the venue */
  occurrence: number
}

export interface CoinPrice {
  coin: string
  source: 'binance' | 'chainlink' | 'twap60'
  /** in USD, or in USDT if the source has that */
  price: number
  /** time of the price */
  price_at: string
  /** receipt when the source gives no time */
  time_from: 'venue' | 'receipt'
  /** time of receipt */
  received_at: string
}

export interface GapReport {
  market_id: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** sampling interval of the market */
  capture_interval_ms: number
  /** time of the first slot with a row or a gap */
  recorded_from: string | null
  /** end of the last slot with a row or a gap */
  recorded_to: string | null
  /** start of the range that the answer is about: `from`, or the earlier of the first recorded slot and the start of the window */
  requested_from: string | null
  /** its end, not included: `to`, or the later of the last recorded slot and the end of the window, but not after now */
  requested_to: string | null
  /** share of the slots from requested_from to requested_to that lie in the recorded range; rounded down */
  recorded_share: number | null
  /** parts from requested_from to requested_to outside of the recorded range; their slots are not expected */
  unrecorded: UnrecordedPart[]
  /** start of the counted range: the requested range cut to what was recorded */
  from: string | null
  /** not included */
  to: string | null
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** of the slots from `from` to `to`; slots outside of the recorded range are not expected */
  coverage: Coverage
  /** missing slots without a gap; more than 0 is a bug of the service */
  unaccounted_slots: number
  /** gaps that match the filters, on all pages */
  gap_count: number
  /** by start, cut to the range */
  gaps: GapEntry[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  empty_reason?: string
}

export interface UnrecordedPart {
  from: string
  /** not included */
  to: string
  slots: number
  /** before_recording: before the first recorded slot. after_recording: after the last one */
  reason: 'before_recording' | 'after_recording'
}

export interface MarketCoverage {
  market_id: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  capture_interval_ms: number
  by: 'hour' | 'day'
  /** time of the first slot with a row or a gap */
  recorded_from: string | null
  /** end of the last slot with a row or a gap */
  recorded_to: string | null
  /** start of the counted range: the requested range cut to what was recorded */
  from: string | null
  /** not included */
  to: string | null
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** of all parts together */
  coverage: Coverage
  /** by time; hours and days outside of the recorded range are left out */
  parts: CoveragePart[]
  empty_reason?: string
}

export interface AllCoverage {
  by: 'hour' | 'day'
  venue: 'polymarket' | 'kalshi' | 'all'
  category: string | null
  /** start of the first hour or day of the range */
  from: string
  /** not included */
  to: string
  /** end of the newest finished hour that is counted; null before the first */
  counted_to: string | null
  /** by time; hours and days in which nothing was recorded are left out */
  parts: SummedCoveragePart[]
  /** only by day with a range of one day: at most 10 markets with the largest share of slots missing or in doubt, the worst first. Left out for a day that was counted before version 0.14.0 */
  worst_markets?: WorstMarket[]
  empty_reason?: string
}

export interface SummedCoveragePart {
  /** start of the hour or day, in UTC */
  start: string
  /** slots of it in the recorded range */
  expected_slots: number
  /** expected slots that have a row */
  stored_slots: number
  missing_slots: number
  /** slots whose row is in doubt */
  suspect_slots: number
  /** stored divided by expected slots, rounded down */
  share: number
  /** available: every slot has a row that is not in doubt. degraded: some are missing or in doubt. missing: none has a row. pending: rows may still come */
  condition: 'available' | 'degraded' | 'missing' | 'pending'
  /** slots that the gap records of each cause cover; records of several causes may overlap */
  causes: Record<string, number>
  /** markets that were recorded in it */
  market_count: number
}

export interface WorstMarket {
  market_id: string
  /** empty when the market is no longer listed */
  slug: string
  question: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  expected_slots: number
  missing_slots: number
  suspect_slots: number
  /** stored divided by expected slots, rounded down */
  share: number
}

export interface Estimate {
  product: 'hours' | 'snapshots' | 'replay'
  /** for hours: start of the first hour */
  from: string
  /** not included */
  to: string
  /** markets with rows in the range */
  market_count: number
  /** token snapshots */
  rows: number
  /** hour files; 0 for other products */
  files: number
  /** requests that read everything; 1 for a replay with rows */
  calls: number
  /** cost of these requests; what was bought lately is counted again */
  credits: number
  /** what the key can spend now */
  credits_available: number
  /** whether the tier of the key includes this product */
  is_included: boolean
  /** size of the Parquet files, within a factor of about two */
  approximate_bytes: number
  /** hour files that are not available yet and not counted */
  unfinished_hours: number
  expected_slots: number
  stored_slots: number
  missing_slots: number
  suspect_slots: number
  /** stored divided by expected slots, rounded down; null when none was expected */
  share: number | null
  gap_count: number
  /** slots that the gap records of each cause cover */
  causes: Record<string, number>
  empty_reason?: string
}

export interface HourReport {
  market_id: string
  slug: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  hour: string
  /** 1, or more when the rows of the hour were corrected; see `GET /v1/corrections` */
  revision: number
  /** token snapshots in the file, two for each slot that has a row */
  rows: number
  /** cost of the file: 1 credit for every 1000 rows, rounded up */
  credits: number
  /** size of the file; null until it is written */
  bytes: number | null
  /** null until the file is written */
  sha256: string | null
  /** of the recorded slots of the hour */
  coverage: Coverage
  gap_count: number
  /** gaps of the hour */
  gaps: GapEntry[]
  empty_reason?: string
}

export interface Corrections {
  corrections: Correction[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
}

export interface Correction {
  market_id: string
  /** start of the hour */
  hour: string
  /** the revision that the correction made; the first revision of an hour is 1 */
  revision: number
  corrected_at: string
  reason: string
  /** slots whose row was added, removed or changed */
  rows_changed: number
  gaps_changed: number
  trades_changed: number
  /** venue of the market; empty when the catalogue no longer has it */
  venue: string
}

export interface Files {
  files: FileEntry[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
}

export interface FileEntry {
  /** name of the file without `.parquet`; every revision has its own */
  id: string
  /** series: books of all windows of a coin and timeframe. market: books of one other market. trades: of either. perp_books, perp_trades, perp_contexts: of a perpetual future; contexts are funding, open interest and mark, oracle and mid price. prices: of a coin from one source. gaps: of all markets or perpetual futures of a venue */
  kind: 'series' | 'market' | 'trades' | 'perp_books' | 'perp_trades' | 'perp_contexts' | 'prices' | 'gaps'
  /** day of its slots and times, in UTC */
  day: string
  /** 1, or more when rows of the day were corrected; the newest replaces the others */
  revision: number
  /** empty for a file of gaps, which has every category */
  category: string
  coin: string | null
  /** empty for other files than books and trades of markets */
  timeframe: string
  /** null for a file that is not about one market */
  market_id: string | null
  /** number of markets in the file */
  markets: number
  /** rows in the file; books of markets have two for each slot that has a row, one for each token */
  rows: number
  bytes: number
  sha256: string
  /** cost of the file, once: 1 credit for every 1000 rows, rounded up; revisions are free */
  credits: number
  /** first slot or time with a row */
  first_at: string
  /** last slot or time with a row */
  last_at: string
  /** gaps of all its markets, by cause. trades: trades may be missing; the other kinds are about books */
  gaps: {
    cause: string
    kind: 'missing' | 'suspect' | 'trades'
    gaps: number
    slots: number
  }[]
  made_at: string
  /** venue of the market or perpetual future, or the source of prices */
  venue: string
}

export interface FileProof {
  id: string
  sha256: string
  bytes: number
  rows: number
  leaf: string
  /** place of the leaf; null while there is no manifest */
  leaf_index: number | null
  /** hashes from the leaf to the root; null while there is no manifest */
  path: string[] | null
  /** null until the hour in which the file was made is signed */
  manifest: ManifestEntry | null
}

export interface ManifestEntry {
  /** 1 for the first entry */
  number: number
  /** the hour in which its files were made */
  hour: string
  /** number of files */
  files: number
  /** root of the Merkle tree of the files, sorted by id */
  root: string
  /** hash of the entry before; zeros for the first one */
  previous: string
  /** hash of this entry */
  hash: string
  key_id: string
  /** Ed25519 signature of the entry, in base64url */
  signature: string
  sealed_at: string
}

export interface Manifests {
  manifests: ManifestEntry[]
  /** public keys of all signatures */
  keys: {
    id: string
    algorithm: 'Ed25519'
    /** 32 bytes in base64url */
    public_key: string
  }[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
}

export interface KeyLimits {
  tier: 'free' | 'pro' | 'scale' | 'enterprise'
  /** label of the key */
  label: string
  /** requests per minute of all keys of the account together */
  rpm: number
  /** including this request */
  rateUsed: number
  /** requests that are allowed right now */
  rateRemaining: number
  /** seconds until the full rate is available again */
  rateResetSeconds: number
  /** credit balance of the account */
  creditsRemaining: number
  creditsPerMonth: number
  /** credits that this key may still spend this month; null: no limit */
  keyCreditsRemaining: number | null
  /** hours of history that can be read; 0: no limit */
  historyHours: number
  formats: string[]
  categories: string[]
  liveExchangeBook: boolean
  maxKeys: number
  /** concurrent WebSocket connections */
  wsMax: number
  mcp: 'read' | 'full'
  /** exact books that an account gets free of charge each UTC day */
  freeBooksPerDay: number
  /** of today; null while they are not counted, when all are free */
  freeBooksLeft: number | null
  /** further exact books of an answer for 1 credit */
  booksPerCredit: number
}

export interface Usage {
  from: string
  /** not included */
  to: string
  totalCalls: number
  totalCredits: number
  totalRefused: number
  /** only rows with calls, credits or refused calls */
  usage: UsageRow[]
}

export interface UsageRow {
  /** in UTC; null when the rows of all days are summed */
  day: string | null
  /** null when the rows of all keys are summed, and for charges without a key */
  keyId: string | null
  keyLabel: string | null
  /** name of the operation; null when the rows of all endpoints are summed */
  endpoint: string | null
  /** successful calls */
  calls: number
  /** charges minus refunds */
  credits: number
  /** calls that were refused or failed, by error code; empty when there were none */
  refused: Record<string, number>
}

export interface Credits {
  /** credits that can be spent now */
  balance: number
  entries: CreditEntry[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
}

export interface CreditEntry {
  /** larger for later entries */
  id: number
  at: string
  /** grant: monthly credits; payment: a pack; adjustment: by the operator; refund: a charge that is undone */
  kind: 'grant' | 'payment' | 'charge' | 'refund' | 'adjustment'
  /** negative for charges */
  credits: number
  /** credits of the account after this entry */
  balanceAfter: number
  /** name of the operation that was charged */
  endpoint: string | null
  keyId: string | null
  keyLabel: string | null
  /** `X-Request-Id` of the request that was charged */
  requestId: string | null
  /** `id` of the charge that a refund undoes */
  refundOf: number | null
  /** path of the file that was bought; null for other entries */
  downloadPath: string | null
  /** until then the file can be downloaded again without paying; null: at any time, or no file */
  downloadUntil: string | null
}

export interface KeyValidity {
  /** always true; an invalid key gets 401 */
  valid: boolean
  active: boolean
  label: string
  tier: 'free' | 'pro' | 'scale' | 'enterprise'
  /** credit balance of the account */
  creditsRemaining: number
}

export type GetHealthReply = Health
/** Everything that `get_health` takes. */
export type GetHealthInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetLivenessReply = {
  status: 'ok'
}
/** Everything that `get_liveness` takes. */
export type GetLivenessInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetReadinessReply = {
  ready: boolean
  status: 'ok' | 'degraded' | 'down'
}
/** Everything that `get_readiness` takes. */
export type GetReadinessInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetPublicStatsReply = PublicStats
/** Everything that `get_public_stats` takes. */
export type GetPublicStatsInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetStatusReply = Status
/** Everything that `get_status` takes. */
export type GetStatusInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetStatsReply = Stats
/** Everything that `get_stats` takes. */
export type GetStatsInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetDebugReply = Debug
/** Everything that `get_debug` takes. */
export type GetDebugInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type ListPacksReply = {
  packs: Pack[]
  tiers: {
    free: TierLimits
    pro: TierLimits
    scale: TierLimits
    enterprise: TierLimits
  }
}
/** Everything that `list_packs` takes. */
export type ListPacksInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type ListCurrenciesReply = Currencies
/** Everything that `list_currencies` takes. */
export type ListCurrenciesInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type ListSamplesReply = Samples
/** Everything that `list_samples` takes. */
export type ListSamplesInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetSampleReply = SampleSnapshots
/** Everything that `get_sample` takes. */
export type GetSampleInput = { sample: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetSampleHeatmapQuery {
  /** the token */
  side?: 'UP' | 'DOWN' | undefined
}
export type GetSampleHeatmapReply = SampleHeatMap
/** Everything that `get_sample_heatmap` takes. */
export type GetSampleHeatmapInput = GetSampleHeatmapQuery & { sample: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetSampleFileDryRun = Sample
/** Everything that `get_sample_file` takes. */
export type GetSampleFileInput = { sample: string; format?: 'json' | 'csv' | 'tsv' | 'parquet' | undefined; spreadsheet_safe?: boolean | undefined; dry_run?: boolean | undefined }

export interface ListCategoriesQuery {
  /** `activeMarkets` counts markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
}
export type ListCategoriesReply = Category[]
/** Everything that `list_categories` takes. */
export type ListCategoriesInput = ListCategoriesQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListLiveMarketsQuery {
  /** only markets of this category */
  category?: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities' | 'exchange' | undefined
  /** coin, league, topic or city, in the case in which it is listed */
  subcategory?: string | undefined
  /** only markets of this coin, in any case: BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC; `all` for every coin */
  crypto?: string | undefined
  /** series within a category: 5m, 15m, 1h, 4h, 1d, hit-price, game, rates, daily-high, daily-low, event, seasonal, weekly, annual, monthly, daily, earnings, quarterly, valuation, comparison, leaderboard; `all` for every one */
  timeframe?: string | undefined
  /** only markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
  /** default: live and upcoming. settling: ended, not resolved yet. expired: resolved, at most 5000 per request */
  status?: 'live' | 'upcoming' | 'settling' | 'expired' | undefined
  /** applied after the filters */
  limit?: number | undefined
  offset?: number | undefined
  /** `X-Next-Cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
  /** true adds the outcome, the price to beat and the settlement price of each market; needs a limit of at most 500 */
  results?: boolean | undefined
}
export type ListLiveMarketsReply = LiveMarket[]
export type ListLiveMarketsDeclared = DeclaredMarketList
/** The answer of `list_live_markets` in each form. */
export type ListLiveMarketsForms = { described: ListLiveMarketsReply; declared: ListLiveMarketsDeclared }
/** Everything that `list_live_markets` takes. */
export type ListLiveMarketsInput = ListLiveMarketsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; form?: Form | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListQuotesQuery {
  /** only markets of this category */
  category?: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities' | 'exchange' | undefined
  /** coin, league, topic or city, in the case in which it is listed */
  subcategory?: string | undefined
  /** only markets of this coin, in any case: BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC; `all` for every coin */
  crypto?: string | undefined
  /** series within a category: 5m, 15m, 1h, 4h, 1d, hit-price, game, rates, daily-high, daily-low, event, seasonal, weekly, annual, monthly, daily, earnings, quarterly, valuation, comparison, leaderboard; `all` for every one */
  timeframe?: string | undefined
  /** only markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
  /** condition ids, separated by commas, at most 100; other filters are then not used */
  ids?: string | undefined
  /** the markets that end first, or the first ids */
  limit?: number | undefined
}
export type ListQuotesReply = Quotes
/** Everything that `list_quotes` takes. */
export type ListQuotesInput = ListQuotesQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface SearchMarketsQuery {
  /** words to search for; more than 6 are not used */
  q: string
  /** only markets of this category */
  category?: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities' | 'exchange' | undefined
  /** coin, league, topic or city, in the case in which it is listed */
  subcategory?: string | undefined
  /** only markets of this coin, in any case: BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC; `all` for every coin */
  crypto?: string | undefined
  /** series within a category: 5m, 15m, 1h, 4h, 1d, hit-price, game, rates, daily-high, daily-low, event, seasonal, weekly, annual, monthly, daily, earnings, quarterly, valuation, comparison, leaderboard; `all` for every one */
  timeframe?: string | undefined
  /** only markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
  /** default: live and upcoming. settling: ended, not resolved yet */
  status?: 'live' | 'upcoming' | 'settling' | undefined
  limit?: number | undefined
  offset?: number | undefined
}
export type SearchMarketsReply = MarketHit[]
/** Everything that `search_markets` takes. */
export type SearchMarketsInput = SearchMarketsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListEventsQuery {
  /** only markets of this category */
  category?: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities' | 'exchange' | undefined
  /** coin, league, topic or city, in the case in which it is listed */
  subcategory?: string | undefined
  /** only markets of this coin, in any case: BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC; `all` for every coin */
  crypto?: string | undefined
  /** series within a category: 5m, 15m, 1h, 4h, 1d, hit-price, game, rates, daily-high, daily-low, event, seasonal, weekly, annual, monthly, daily, earnings, quarterly, valuation, comparison, leaderboard; `all` for every one */
  timeframe?: string | undefined
  /** only markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
  /** only events with a market of this status; default: live and upcoming. settling: ended, not resolved yet */
  status?: 'live' | 'upcoming' | 'settling' | undefined
  /** events per page */
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListEventsReply = MarketEvents
/** Everything that `list_events` takes. */
export type ListEventsInput = ListEventsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetEventQuery {
  /** only markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
  /** markets per page */
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type GetEventReply = MarketEventDetails
/** Everything that `get_event` takes. */
export type GetEventInput = GetEventQuery & { event: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetMarketQuery {
  /** only slugs of this venue; `all` for every venue. A condition id is found without it, whatever the venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
}
export type GetMarketReply = SingleMarket
/** Everything that `get_market` takes. */
export type GetMarketInput = GetMarketQuery & { slug: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetOrderbookBySlugQuery {
  /** false leaves bids and asks out */
  includebook?: boolean | undefined
  /** only slugs of this venue; `all` for every venue. A condition id is found without it, whatever the venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
}
export type GetOrderbookBySlugReply = SlugOrderbook
export type GetOrderbookBySlugDeclared = DeclaredSlugOrderbook
/** The answer of `get_orderbook_by_slug` in each form. */
export type GetOrderbookBySlugForms = { described: GetOrderbookBySlugReply; declared: GetOrderbookBySlugDeclared }
/** Everything that `get_orderbook_by_slug` takes. */
export type GetOrderbookBySlugInput = GetOrderbookBySlugQuery & { slug: string; format?: 'json' | 'csv' | 'tsv' | undefined; form?: Form | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetOrderbookQuery {
  /** false leaves bids and asks out */
  includebook?: boolean | undefined
}
export type GetOrderbookReply = MarketOrderbook
export type GetOrderbookDeclared = DeclaredOrderbook
/** The answer of `get_orderbook` in each form. */
export type GetOrderbookForms = { described: GetOrderbookReply; declared: GetOrderbookDeclared }
/** Everything that `get_orderbook` takes. */
export type GetOrderbookInput = GetOrderbookQuery & { id: string; format?: 'json' | 'csv' | 'tsv' | undefined; form?: Form | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetMarketDepthQuery {
  /** greatest distance from mid that is counted */
  within?: number | undefined
}
export type GetMarketDepthReply = {
  market_id: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  within: number
  /** there is no current book; this is the last trusted one */
  stale: boolean
  age_ms: number
  tokens: TokenDepth[]
}
/** Everything that `get_market_depth` takes. */
export type GetMarketDepthInput = GetMarketDepthQuery & { id: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetMarketSummaryReply = MarketSummary
/** Everything that `get_market_summary` takes. */
export type GetMarketSummaryInput = { id: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListMarketHistoryQuery {
  /** only markets of this category */
  category?: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities' | 'exchange' | undefined
  /** coin, league, topic or city, in the case in which it is listed */
  subcategory?: string | undefined
  /** only markets of this coin, in any case: BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC; `all` for every coin */
  crypto?: string | undefined
  /** series within a category: 5m, 15m, 1h, 4h, 1d, hit-price, game, rates, daily-high, daily-low, event, seasonal, weekly, annual, monthly, daily, earnings, quarterly, valuation, comparison, leaderboard; `all` for every one */
  timeframe?: string | undefined
  /** only markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
  /** words; each begins a word of the question, slug or subcategory */
  q?: string | undefined
  status?: 'live' | 'closed' | undefined
  /** only markets that were recorded at this time or later */
  since?: Moment | undefined
  /** true lists only markets without a missing slot, those with a `share` of 1 */
  complete?: boolean | undefined
  /** default: all of them */
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
  /** true adds the outcome, the price to beat and the settlement price of each market; needs a limit of at most 500 */
  results?: boolean | undefined
}
export type ListMarketHistoryReply = MarketHistory
/** Everything that `list_market_history` takes. */
export type ListMarketHistoryInput = ListMarketHistoryQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListRecentMarketsQuery {
  /** only markets of this category */
  category?: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities' | 'exchange' | undefined
  /** coin, league, topic or city, in the case in which it is listed */
  subcategory?: string | undefined
  /** only markets of this coin, in any case: BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC; `all` for every coin */
  crypto?: string | undefined
  /** series within a category: 5m, 15m, 1h, 4h, 1d, hit-price, game, rates, daily-high, daily-low, event, seasonal, weekly, annual, monthly, daily, earnings, quarterly, valuation, comparison, leaderboard; `all` for every one */
  timeframe?: string | undefined
  /** only markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
  /** words; each begins a word of the question, slug or subcategory */
  q?: string | undefined
  status?: 'live' | 'closed' | undefined
  /** only markets that were recorded at this time or later */
  since?: Moment | undefined
  /** true lists only markets without a missing slot, those with a `share` of 1 */
  complete?: boolean | undefined
  /** default: all of them */
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
  /** true adds the outcome, the price to beat and the settlement price of each market; needs a limit of at most 500 */
  results?: boolean | undefined
}
export type ListRecentMarketsReply = MarketHistory
/** Everything that `list_recent_markets` takes. */
export type ListRecentMarketsInput = ListRecentMarketsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListSnapshotsQuery {
  /** earliest time of capture, included */
  from?: Moment | undefined
  /** latest time of capture, not included */
  to?: Moment | undefined
  /** token snapshots; a slot has two, one for each side */
  limit?: number | undefined
  /** only this token */
  side?: 'UP' | 'DOWN' | undefined
  /** by slot, within it UP before DOWN; asc when `from` is given, else desc */
  order?: 'asc' | 'desc' | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
  /** false leaves bids and asks out */
  includebook?: boolean | undefined
}
export type ListSnapshotsReply = SnapshotList
export type ListSnapshotsDeclared = DeclaredSnapshotList
/** The answer of `list_snapshots` in each form. */
export type ListSnapshotsForms = { described: ListSnapshotsReply; declared: ListSnapshotsDeclared }
export type ListSnapshotsDryRun = SnapshotDryRun
/** Everything that `list_snapshots` takes. */
export type ListSnapshotsInput = ListSnapshotsQuery & { id: string; format?: 'json' | 'csv' | 'tsv' | 'parquet' | undefined; form?: Form | undefined; spreadsheet_safe?: boolean | undefined; dry_run?: boolean | undefined }

export interface GetSnapshotQuery {
  /** the time */
  timestamp: Moment
  /** condition id of the market: 0x and 64 hex digits */
  marketId: string
  /** true adds bids and asks */
  includebook?: boolean | undefined
  /** which token; the other one is in `counterpart` */
  side?: 'UP' | 'DOWN' | undefined
  /** before: only books captured at or before the time, so that a backtest sees no future data */
  direction?: 'nearest' | 'before' | undefined
}
export type GetSnapshotReply = {
  condition_id: string
  token_id: string
  side: 'UP' | 'DOWN'
  /** time of the last change of the book, from the venue */
  event_timestamp: string
  /** time of the sample */
  capture_timestamp: string
  /** the slot; it grows by 1 with every sampling interval */
  sequence_number: number
  /** 0 when there are no bids */
  best_bid: number
  /** 1 when there are no asks */
  best_ask: number
  mid: number
  /** negative when the book is crossed */
  spread: number
  /** [price, size], best price first; left out with includebook=false */
  bids?: [number, number][]
  /** [price, size], best price first; left out with includebook=false */
  asks?: [number, number][]
  /** sum of the sizes of the best five bids */
  depth5_bid: number
  /** sum of the sizes of the best five asks */
  depth5_ask: number
  /** spot price of the coin; null where there is none */
  spot_crypto_usd: number | null
  /** age of the spot price at the time of capture */
  spot_crypto_age_ms: number | null
  flags: ('verified' | 'unverified' | 'mirrored' | 'one_sided' | 'crossed' | 'suspect' | (string & {}))[]
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
  /** the other token at the same slot */
  counterpart: TokenSnapshot
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  /** between the requested time and the time of capture */
  distance_ms: number
}
export type GetSnapshotDeclared = DeclaredSnapshot
/** The answer of `get_snapshot` in each form. */
export type GetSnapshotForms = { described: GetSnapshotReply; declared: GetSnapshotDeclared }
/** Everything that `get_snapshot` takes. */
export type GetSnapshotInput = GetSnapshotQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; form?: Form | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListLatestSnapshotsQuery {
  /** only markets of this coin, in any case: BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC; `all` for every coin */
  crypto?: string | undefined
  /** series within a category: 5m, 15m, 1h, 4h, 1d, hit-price, game, rates, daily-high, daily-low, event, seasonal, weekly, annual, monthly, daily, earnings, quarterly, valuation, comparison, leaderboard; `all` for every one */
  timeframe?: string | undefined
  /** true adds bids and asks */
  includebook?: boolean | undefined
  /** only markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
}
export type ListLatestSnapshotsReply = PairedSnapshot[]
export type ListLatestSnapshotsDeclared = DeclaredSnapshot[]
/** The answer of `list_latest_snapshots` in each form. */
export type ListLatestSnapshotsForms = { described: ListLatestSnapshotsReply; declared: ListLatestSnapshotsDeclared }
/** Everything that `list_latest_snapshots` takes. */
export type ListLatestSnapshotsInput = ListLatestSnapshotsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; form?: Form | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetExchangeOrderbookQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange: 'hyperliquid_perp' | 'hyperliquid'
}
export type GetExchangeOrderbookReply = {
  exchange: string
  symbol: string
  /** time of the sample */
  timestamp: string
  best_bid: number
  best_ask: number
  mid_price: number
  spread: number
  /** sum of the sizes of all bids */
  bid_depth_total: number
  /** sum of the sizes of all asks */
  ask_depth_total: number
  /** [price, size], best price first, up to 20 */
  bids: [number, number][]
  /** [price, size], best price first, up to 20 */
  asks: [number, number][]
  /** the slot; it grows by 1 with every sampling interval */
  sequence_number: number
  /** time of the book, from the venue */
  event_timestamp: string
  /** best bid from a faster stream; it is not merged into the book; null without one */
  touch_bid: number | null
  touch_bid_size: number | null
  /** best ask from a faster stream; null without one */
  touch_ask: number | null
  touch_ask_size: number | null
  touch_timestamp: string | null
  /** age of the sample */
  age_ms: number
  /** age of the book, by the venue’s time */
  event_age_ms: number
  /** age of the best prices from the faster stream, by the venue’s time; null without them */
  touch_age_ms: number | null
  /** the proof that the venue offers. hash: it publishes a hash of the book. sequence: it numbers its changes, so that a book has all of them unless it is flagged unverified; it is never flagged verified. none: it offers no proof, so that a book is neither verified nor unverified */
  proof: 'hash' | 'sequence' | 'none'
  /** the venue of the exchange */
  venue: string
}
/** Everything that `get_exchange_orderbook` takes. */
export type GetExchangeOrderbookInput = GetExchangeOrderbookQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListExchangeSnapshotsQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  /** earliest time of capture, included; default: 24 hours before `to` */
  from?: Moment | undefined
  /** latest time of capture, not included; default: now */
  to?: Moment | undefined
  limit?: number | undefined
  /** asc when `from` is given, else desc */
  order?: 'asc' | 'desc' | undefined
  /** `X-Next-Cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListExchangeSnapshotsReply = PerpBook[]
/** Everything that `list_exchange_snapshots` takes. */
export type ListExchangeSnapshotsInput = ListExchangeSnapshotsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetExchangeCoverageQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  by?: 'hour' | 'day' | undefined
  /** default: 31 days before the end by day, 7 days by hour */
  from?: Moment | undefined
  /** not included; default: now */
  to?: Moment | undefined
}
export type GetExchangeCoverageReply = PerpCoverage
/** Everything that `get_exchange_coverage` takes. */
export type GetExchangeCoverageInput = GetExchangeCoverageQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetExchangeHeatmapQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  /** a time in the tile; tiles start at multiples of 256 columns */
  from: Moment
  /** the sampling interval times 1, 2, 4 … 256; default: times 16 */
  column_ms?: number | undefined
  /** length of a row; default: 1, 2 or 5 times a power of ten, so that a tile has at most 200 rows */
  price_step?: string | undefined
}
export type GetExchangeHeatmapReply = PerpHeatMap
/** Everything that `get_exchange_heatmap` takes. */
export type GetExchangeHeatmapInput = GetExchangeHeatmapQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListExchangeTradesQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  /** earliest time, included; default: 24 hours before `to` */
  from?: Moment | undefined
  /** latest time, not included; default: now */
  to?: Moment | undefined
  limit?: number | undefined
  /** by time; asc when `from` is given, else desc */
  order?: 'asc' | 'desc' | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListExchangeTradesReply = {
  exchange: string
  symbol: string
  /** the venue of the exchange */
  venue: string
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** times of this page in which rows may be missing, the first 1,000; `cause` says why, such as a lost connection */
  gaps: TradeGap[]
  /** how many more such times the page has, only when there are more; ask for a shorter range to see them */
  gaps_left_out?: number
  /** of the time of this page */
  coverage: TradeCoverage
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** from this time on the data is for tiers with the live exchange book, and is therefore left out */
  restricted_from?: string
  empty_reason?: string
  trades: PerpTrade[]
}
/** Everything that `list_exchange_trades` takes. */
export type ListExchangeTradesInput = ListExchangeTradesQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListExchangeFundingQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  /** earliest time, included; default: 24 hours before `to` */
  from?: Moment | undefined
  /** latest time, not included; default: now */
  to?: Moment | undefined
  limit?: number | undefined
  /** by time; asc when `from` is given, else desc */
  order?: 'asc' | 'desc' | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListExchangeFundingReply = {
  exchange: string
  symbol: string
  /** the venue of the exchange */
  venue: string
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** times of this page in which rows may be missing, the first 1,000; `cause` says why, such as a lost connection */
  gaps: TradeGap[]
  /** how many more such times the page has, only when there are more; ask for a shorter range to see them */
  gaps_left_out?: number
  /** of the time of this page */
  coverage: TradeCoverage
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** from this time on the data is for tiers with the live exchange book, and is therefore left out */
  restricted_from?: string
  empty_reason?: string
  funding: Funding[]
}
/** Everything that `list_exchange_funding` takes. */
export type ListExchangeFundingInput = ListExchangeFundingQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListExchangeOpenInterestQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  /** earliest time, included; default: 24 hours before `to` */
  from?: Moment | undefined
  /** latest time, not included; default: now */
  to?: Moment | undefined
  limit?: number | undefined
  /** by time; asc when `from` is given, else desc */
  order?: 'asc' | 'desc' | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListExchangeOpenInterestReply = {
  exchange: string
  symbol: string
  /** the venue of the exchange */
  venue: string
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** times of this page in which rows may be missing, the first 1,000; `cause` says why, such as a lost connection */
  gaps: TradeGap[]
  /** how many more such times the page has, only when there are more; ask for a shorter range to see them */
  gaps_left_out?: number
  /** of the time of this page */
  coverage: TradeCoverage
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** from this time on the data is for tiers with the live exchange book, and is therefore left out */
  restricted_from?: string
  empty_reason?: string
  open_interest: OpenInterest[]
}
/** Everything that `list_exchange_open_interest` takes. */
export type ListExchangeOpenInterestInput = ListExchangeOpenInterestQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListExchangePricesQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  /** earliest time, included; default: 24 hours before `to` */
  from?: Moment | undefined
  /** latest time, not included; default: now */
  to?: Moment | undefined
  limit?: number | undefined
  /** by time; asc when `from` is given, else desc */
  order?: 'asc' | 'desc' | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListExchangePricesReply = {
  exchange: string
  symbol: string
  /** the venue of the exchange */
  venue: string
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** times of this page in which rows may be missing, the first 1,000; `cause` says why, such as a lost connection */
  gaps: TradeGap[]
  /** how many more such times the page has, only when there are more; ask for a shorter range to see them */
  gaps_left_out?: number
  /** of the time of this page */
  coverage: TradeCoverage
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** from this time on the data is for tiers with the live exchange book, and is therefore left out */
  restricted_from?: string
  empty_reason?: string
  prices: PerpPrice[]
}
/** Everything that `list_exchange_prices` takes. */
export type ListExchangePricesInput = ListExchangePricesQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListExchangeBarsQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  /** length of a bar */
  interval?: '1s' | '5s' | '10s' | '30s' | '1m' | '5m' | '15m' | '1h' | '4h' | '1d' | undefined
  /** bars that start at or after this time; without it, the newest bars of the 24 hours before `to` */
  from?: Moment | undefined
  /** bars that start before this time; default: now */
  to?: Moment | undefined
  /** bars per page */
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListExchangeBarsReply = {
  exchange: string
  symbol: string
  /** the venue of the exchange */
  venue: string
  interval: '1s' | '5s' | '10s' | '30s' | '1m' | '5m' | '15m' | '1h' | '4h' | '1d'
  /** every bar of the page by time, also bars without books */
  bars: PerpBar[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  /** from this time on the data is for tiers with the live exchange book, and is therefore left out */
  restricted_from?: string
  empty_reason?: string
}
/** Everything that `list_exchange_bars` takes. */
export type ListExchangeBarsInput = ListExchangeBarsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListExchangeGapsQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  /** earliest slot, included; default: 24 hours before `to` */
  from?: Moment | undefined
  /** latest slot, not included; default: now */
  to?: Moment | undefined
  /** only gaps of this kind; slot counts are not filtered */
  kind?: 'missing' | 'suspect' | undefined
  /** only gaps with this cause; slot counts are not filtered */
  cause?: 'venue_silent' | 'disconnected' | 'hash_mismatch' | 'sequence_gap' | 'impossible_book' | 'resync' | 'late_slot' | 'capturer_down' | 'capturer_overloaded' | 'bus_unavailable' | 'clock_step' | 'not_listed_yet' | 'undecodable' | undefined
  /** gaps per page */
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListExchangeGapsReply = PerpGapReport
/** Everything that `list_exchange_gaps` takes. */
export type ListExchangeGapsInput = ListExchangeGapsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ExportExchangeHourQuery {
  /** coin, in any case */
  symbol: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** hyperliquid_perp or hyperliquid; both mean the same */
  exchange?: 'hyperliquid_perp' | 'hyperliquid' | undefined
  /** start of the hour, such as 2026-11-15T12:00:00Z; it must have ended at least 5 minutes ago */
  hour: Moment
}
export type ExportExchangeHourDryRun = PerpHourReport
/** Everything that `export_exchange_hour` takes. */
export type ExportExchangeHourInput = ExportExchangeHourQuery & { format?: 'json' | 'csv' | 'tsv' | 'parquet' | undefined; spreadsheet_safe?: boolean | undefined; dry_run?: boolean | undefined }

export interface GetExecutionPriceQuery {
  /** the token */
  side: 'UP' | 'DOWN'
  /** buy takes the asks, sell takes the bids */
  action: 'buy' | 'sell'
  /** shares; give this or `notional` */
  size?: number | undefined
  /** USD; give this or `size` */
  notional?: number | undefined
  /** a time in the past; the book known at or before it is used; default: the live book */
  timestamp?: Moment | undefined
}
export type GetExecutionPriceReply = ExecutionPrice
/** Everything that `get_execution_price` takes. */
export type GetExecutionPriceInput = GetExecutionPriceQuery & { id: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetAsofQuery {
  /** the time; not in the future */
  timestamp: Moment
  /** condition ids or slugs, as for /v1/markets/by-slug, separated by commas, at most 20; btc-updown-5m is the window at that time */
  markets: string
  /** false leaves bids and asks out */
  includebook?: boolean | undefined
  /** only slugs of this venue; `all` for every venue. A condition id is found without it, whatever the venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
}
export type GetAsofReply = {
  timestamp: string
  /** in the order of the request */
  markets: MarketAsOf[]
  /** from this time on the data is for tiers with the live exchange book, and is therefore left out */
  restricted_from?: string
}
/** Everything that `get_asof` takes. */
export type GetAsofInput = GetAsofQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListBarsQuery {
  /** length of a bar */
  interval?: '1s' | '5s' | '10s' | '30s' | '1m' | '5m' | '15m' | '1h' | '4h' | '1d' | undefined
  /** bars that start at or after this time; without it, the newest bars before `to` */
  from?: Moment | undefined
  /** bars that start before this time */
  to?: Moment | undefined
  /** bars per page */
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
  /** the token */
  side?: 'UP' | 'DOWN' | undefined
}
export type ListBarsReply = {
  market_id: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  token_id: string
  /** only this token */
  side: 'UP' | 'DOWN'
  interval: '1s' | '5s' | '10s' | '30s' | '1m' | '5m' | '15m' | '1h' | '4h' | '1d'
  /** every bar of the page by time, also bars without snapshots */
  bars: Bar[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  empty_reason?: string
}
/** Everything that `list_bars` takes. */
export type ListBarsInput = ListBarsQuery & { id: string; format?: 'json' | 'csv' | 'tsv' | 'parquet' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListTradesQuery {
  /** condition id of the market: 0x and 64 hex digits */
  marketId: string
  /** earliest time of the trade, included; default: everything recorded that the tier includes */
  from?: Moment | undefined
  /** latest time of the trade, not included */
  to?: Moment | undefined
  limit?: number | undefined
  /** by time; asc when `from` is given, else desc */
  order?: 'asc' | 'desc' | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListTradesReply = {
  market_id: string
  /** venue of the market: polymarket, kalshi; empty when only rows of the market are known */
  venue: string
  trades: Trade[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** times of this page in which trades may be missing, the first 1,000; `cause` says why, such as a lost connection */
  gaps: TradeGap[]
  /** how many more such times the page has, only when there are more; ask for a shorter range to see them */
  gaps_left_out?: number
  /** of the time of this page */
  coverage: TradeCoverage
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  empty_reason?: string
}
/** Everything that `list_trades` takes. */
export type ListTradesInput = ListTradesQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListPricesQuery {
  /** coin, in any case */
  coin: 'BTC' | 'ETH' | 'SOL' | 'XRP' | 'DOGE' | 'BNB' | 'HYPE' | 'ZEC'
  /** binance, chainlink, twap60 */
  source: 'binance' | 'chainlink' | 'twap60'
  /** earliest time of a price, included; default: 24 hours before `to` */
  from?: Moment | undefined
  /** latest time of a price, not included; default: now */
  to?: Moment | undefined
  limit?: number | undefined
  /** by time; asc when `from` is given, else desc */
  order?: 'asc' | 'desc' | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListPricesReply = {
  coin: string
  source: 'binance' | 'chainlink' | 'twap60'
  /** average: the mean of 60 seconds */
  kind: 'spot' | 'average'
  /** at most one per second; a second without a price has no row */
  prices: CoinPrice[]
  /** pass it as `cursor` to get the next page; null on the last page */
  next_cursor: string | null
  /** the oldest time that the tier includes; only when something older is recorded and therefore left out */
  history_from?: string
  empty_reason?: string
}
/** Everything that `list_prices` takes. */
export type ListPricesInput = ListPricesQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListGapsQuery {
  /** earliest slot, included; default: everything recorded that the tier includes */
  from?: Moment | undefined
  /** latest slot, not included; default: the end of what was recorded */
  to?: Moment | undefined
  /** only gaps of this kind; slot counts are not filtered */
  kind?: 'missing' | 'suspect' | undefined
  /** only gaps with this cause; slot counts are not filtered */
  cause?: 'venue_silent' | 'disconnected' | 'hash_mismatch' | 'sequence_gap' | 'impossible_book' | 'resync' | 'late_slot' | 'capturer_down' | 'capturer_overloaded' | 'bus_unavailable' | 'clock_step' | 'not_listed_yet' | 'undecodable' | undefined
  /** gaps per page */
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListGapsReply = GapReport
/** Everything that `list_gaps` takes. */
export type ListGapsInput = ListGapsQuery & { id: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetMarketCoverageQuery {
  by?: 'hour' | 'day' | undefined
  /** earliest slot, included; default: everything recorded that the tier includes */
  from?: Moment | undefined
  /** latest slot, not included; default: the end of what was recorded */
  to?: Moment | undefined
}
export type GetMarketCoverageReply = MarketCoverage
/** Everything that `get_market_coverage` takes. */
export type GetMarketCoverageInput = GetMarketCoverageQuery & { id: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListCoverageQuery {
  by?: 'hour' | 'day' | undefined
  /** default: 365 days before the end by day, 7 days by hour */
  from?: Moment | undefined
  /** not included; default: now */
  to?: Moment | undefined
  /** only markets of this venue */
  venue?: 'polymarket' | 'kalshi' | 'all' | undefined
  /** only markets of this category */
  category?: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities' | undefined
}
export type ListCoverageReply = AllCoverage
/** Everything that `list_coverage` takes. */
export type ListCoverageInput = ListCoverageQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface EstimateQuery {
  /** hours: Parquet files of whole hours. snapshots: pages of the list. replay: one replay of the channel book, of given markets */
  product: 'hours' | 'snapshots' | 'replay'
  /** condition ids, at most 100 */
  markets?: string[]
  /** instead of ids: all markets of a category */
  category?: 'crypto' | 'sports' | 'economics' | 'weather' | 'social' | 'equities'
  /** with or without a timeframe: only crypto markets of this coin */
  coin?: string
  /** series within a category: 5m, 15m, 1h, 4h, 1d, hit-price, game, rates, daily-high, daily-low, event, seasonal, weekly, annual, monthly, daily, earnings, quarterly, valuation, comparison, leaderboard; `all` for every one */
  timeframe?: string
  /** only markets of this venue; `all` for every venue */
  venue?: 'polymarket' | 'kalshi' | 'all'
  from: string
  /** not included; at most 31 days after the start */
  to: string
}
export type EstimateReply = Estimate
/** Everything that `estimate` takes. */
export type EstimateInput = EstimateQuery & { format?:  | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetMarketHeatmapQuery {
  /** a time in the tile; tiles start at multiples of 256 columns */
  from: Moment
  /** the token */
  side?: 'UP' | 'DOWN' | undefined
  /** the sampling interval times 1, 2, 4 … 256; default: times 16 */
  column_ms?: number | undefined
  price_step?: '0.001' | '0.005' | '0.01' | '0.05' | undefined
}
export type GetMarketHeatmapReply = HeatMap
/** Everything that `get_market_heatmap` takes. */
export type GetMarketHeatmapInput = GetMarketHeatmapQuery & { id: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ExportHourQuery {
  /** start of the hour, such as 2026-11-15T12:00:00Z; it must have ended at least 5 minutes ago */
  hour: Moment
}
export type ExportHourDryRun = HourReport
/** Everything that `export_hour` takes. */
export type ExportHourInput = ExportHourQuery & { id: string; format?: 'json' | 'csv' | 'tsv' | 'parquet' | undefined; spreadsheet_safe?: boolean | undefined; dry_run?: boolean | undefined }

export interface ListCorrectionsQuery {
  /** only corrections of this market */
  market?: string | undefined
  /** only corrections made at this time or later */
  from?: Moment | undefined
  /** only corrections made before this time */
  to?: Moment | undefined
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListCorrectionsReply = Corrections
/** Everything that `list_corrections` takes. */
export type ListCorrectionsInput = ListCorrectionsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListFilesQuery {
  /** only files of this kind; `all` for every kind. Default: `series` and `market`, the books of binary markets, unless `venue` has no such markets */
  kind?: 'series' | 'market' | 'trades' | 'perp_books' | 'perp_trades' | 'perp_contexts' | 'prices' | 'gaps' | 'all' | undefined
  /** only markets of this coin, in any case: BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC; `all` for every coin */
  coin?: string | undefined
  /** series within a category: 5m, 15m, 1h, 4h, 1d, hit-price, game, rates, daily-high, daily-low, event, seasonal, weekly, annual, monthly, daily, earnings, quarterly, valuation, comparison, leaderboard; `all` for every one */
  timeframe?: string | undefined
  /** only files that contain this market */
  market?: string | undefined
  /** only days that start at this time or later */
  from?: Moment | undefined
  /** only days that start before this time */
  to?: Moment | undefined
  /** true lists former revisions too */
  all_revisions?: boolean | undefined
  /** only files of this venue, or of this source of prices; `all` for every one. Default: every one when `kind` is given, else polymarket */
  venue?: 'polymarket' | 'kalshi' | 'hyperliquid' | 'binance' | 'chainlink' | 'twap60' | 'all' | undefined
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListFilesReply = Files
/** Everything that `list_files` takes. */
export type ListFilesInput = ListFilesQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

/** Everything that `download_file` takes. */
export type DownloadFileInput = { id: string; format?: 'json' | 'csv' | 'tsv' | 'parquet' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetFileProofReply = FileProof
/** Everything that `get_file_proof` takes. */
export type GetFileProofInput = { id: string; format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListManifestsQuery {
  /** only entries with a higher number */
  after?: number | undefined
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListManifestsReply = Manifests
/** Everything that `list_manifests` takes. */
export type ListManifestsInput = ListManifestsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type GetLimitsReply = KeyLimits
/** Everything that `get_limits` takes. */
export type GetLimitsInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface GetUsageQuery {
  /** first day, in UTC; default: 30 days before `to` */
  from?: string | undefined
  /** the day after the last one, not included; default: tomorrow; at most 92 days after `from` */
  to?: string | undefined
  /** only this key */
  key_id?: string | undefined
  /** day, key or endpoint, separated by commas; rows are summed over the others */
  group_by?: string | undefined
}
export type GetUsageReply = Usage
/** Everything that `get_usage` takes. */
export type GetUsageInput = GetUsageQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export interface ListCreditsQuery {
  /** entries per page */
  limit?: number | undefined
  /** `next_cursor` of the previous page; all other parameters must stay the same */
  cursor?: string | undefined
}
export type ListCreditsReply = Credits
/** Everything that `list_credits` takes. */
export type ListCreditsInput = ListCreditsQuery & { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

export type ValidateKeyReply = KeyValidity
/** Everything that `validate_key` takes. */
export type ValidateKeyInput = { format?: 'json' | 'csv' | 'tsv' | undefined; spreadsheet_safe?: boolean | undefined }

/** What each operation takes, by its name in the OpenAPI document. */
export interface OperationInputs {
  get_health: GetHealthInput
  get_liveness: GetLivenessInput
  get_readiness: GetReadinessInput
  get_public_stats: GetPublicStatsInput
  get_status: GetStatusInput
  get_stats: GetStatsInput
  get_debug: GetDebugInput
  list_packs: ListPacksInput
  list_currencies: ListCurrenciesInput
  list_samples: ListSamplesInput
  get_sample: GetSampleInput
  get_sample_heatmap: GetSampleHeatmapInput
  get_sample_file: GetSampleFileInput
  list_categories: ListCategoriesInput
  list_live_markets: ListLiveMarketsInput
  list_quotes: ListQuotesInput
  search_markets: SearchMarketsInput
  list_events: ListEventsInput
  get_event: GetEventInput
  get_market: GetMarketInput
  get_orderbook_by_slug: GetOrderbookBySlugInput
  get_orderbook: GetOrderbookInput
  get_market_depth: GetMarketDepthInput
  get_market_summary: GetMarketSummaryInput
  list_market_history: ListMarketHistoryInput
  list_recent_markets: ListRecentMarketsInput
  list_snapshots: ListSnapshotsInput
  get_snapshot: GetSnapshotInput
  list_latest_snapshots: ListLatestSnapshotsInput
  get_exchange_orderbook: GetExchangeOrderbookInput
  list_exchange_snapshots: ListExchangeSnapshotsInput
  get_exchange_coverage: GetExchangeCoverageInput
  get_exchange_heatmap: GetExchangeHeatmapInput
  list_exchange_trades: ListExchangeTradesInput
  list_exchange_funding: ListExchangeFundingInput
  list_exchange_open_interest: ListExchangeOpenInterestInput
  list_exchange_prices: ListExchangePricesInput
  list_exchange_bars: ListExchangeBarsInput
  list_exchange_gaps: ListExchangeGapsInput
  export_exchange_hour: ExportExchangeHourInput
  get_execution_price: GetExecutionPriceInput
  get_asof: GetAsofInput
  list_bars: ListBarsInput
  list_trades: ListTradesInput
  list_prices: ListPricesInput
  list_gaps: ListGapsInput
  get_market_coverage: GetMarketCoverageInput
  list_coverage: ListCoverageInput
  estimate: EstimateInput
  get_market_heatmap: GetMarketHeatmapInput
  export_hour: ExportHourInput
  list_corrections: ListCorrectionsInput
  list_files: ListFilesInput
  download_file: DownloadFileInput
  get_file_proof: GetFileProofInput
  list_manifests: ListManifestsInput
  get_limits: GetLimitsInput
  get_usage: GetUsageInput
  list_credits: ListCreditsInput
  validate_key: ValidateKeyInput
}

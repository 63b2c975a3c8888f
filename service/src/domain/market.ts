export const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities'] as const
export type Category = (typeof CATEGORIES)[number]

export const COINS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC'] as const
export type CoinSymbol = (typeof COINS)[number]

/** Every timeframe that a market of the category may have. */
export const TIMEFRAMES: Readonly<Record<Category, readonly string[]>> = {
  crypto: ['5m', '15m', '1h', '4h', '1d', 'hit-price'],
  sports: ['game'],
  economics: ['rates'],
  weather: ['daily-high', 'daily-low', 'event', 'seasonal'],
  social: ['weekly'],
  equities: ['annual', 'monthly', 'daily', 'event', 'earnings', 'quarterly', 'valuation', 'comparison', 'leaderboard'],
}

/** Category of a market, with the names that API filters use. */
export interface Classification {
  category: Category
  /** Coin, league, topic or city; case-sensitive. */
  subcategory: string
  /** Series within a subcategory: `5m`, `game`, `daily-high`… */
  timeframe: string
}

/** Prices from `from` up to `to` are multiples of `step`; in units of 0.0001. */
export interface PriceRange {
  from: number
  to: number
  step: number
}

/** One prediction market as the venue lists it. */
export interface Market extends Classification {
  /** `0x` and 64 hex digits: the condition id, or a hash of the venue and its key where the venue has no such id. */
  id: string
  venue: string
  /** What the venue itself calls the market. */
  venueKey: string
  /** First outcome (Yes, Up, first team), then the second. */
  tokenIds: readonly [string, string]
  outcomeNames: readonly [string, string]
  slug: string
  question: string
  label: string
  eventSlug: string
  eventTitle: string
  /** Markets of which exactly one can win have the same group. */
  groupId?: string
  /** The prices that orders may have; it may change while the market is open. */
  priceGrid: readonly PriceRange[]
  /** What only the code of the venue understands. */
  facts: Readonly<Record<string, string | boolean>>
  /** Open of the window or start of the game. */
  startsAtMs?: number
  endsAtMs: number
  planId: string
  captureIntervalMs: number
}

/** How a market ended. */
export interface Resolution {
  marketId: string
  /** Index of the winning outcome; undefined when the payout was split. */
  winner?: 0 | 1
  resolvedAtMs: number
}

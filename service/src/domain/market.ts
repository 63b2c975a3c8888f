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

/** One prediction market as the venue lists it. */
export interface Market extends Classification {
  /** The condition id: `0x` and 64 hex digits. */
  id: string
  venue: string
  /** First outcome (Yes, Up, first team), then the second. */
  tokenIds: readonly [string, string]
  outcomeNames: readonly [string, string]
  slug: string
  question: string
  label: string
  eventSlug: string
  eventTitle: string
  negRisk: boolean
  negRiskId?: string
  minOrderSize: string
  /** The venue's contract version; part of its hashes. */
  version: 'v1' | 'v2'
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

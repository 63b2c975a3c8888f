export const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities'] as const
export type Category = (typeof CATEGORIES)[number]

export const COINS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE'] as const
export type CoinSymbol = (typeof COINS)[number]

/** Where a market belongs, in the words that callers filter by. */
export interface Classification {
  category: Category
  /** Coin, league, topic or city; exact letters. */
  subcategory: string
  /** What tells series of one subcategory apart: `5m`, `game`, `daily-high`… */
  timeframe: string
}

/** One binary market as the venue lists it: what never changes, and what the venue says of its life. */
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
  /** Which of the venue's protocols it belongs to; part of its hashes. */
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
  /** Index of the outcome that came true; undefined when it was split. */
  winner?: 0 | 1
  resolvedAtMs: number
}

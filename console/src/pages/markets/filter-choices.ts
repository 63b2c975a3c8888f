/** Values that the service documents for its filters; a test compares them with its documents. */

export const CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities'] as const
export type Category = (typeof CATEGORIES)[number]

export const COINS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC'] as const

export const TIMEFRAMES = [
  '5m',
  '15m',
  '1h',
  '4h',
  '1d',
  'hit-price',
  'game',
  'rates',
  'daily-high',
  'daily-low',
  'event',
  'seasonal',
  'weekly',
  'annual',
  'monthly',
  'daily',
  'earnings',
  'quarterly',
  'valuation',
  'comparison',
  'leaderboard',
] as const

/** The API calls `ended` expired in the list of present markets, and closed in that of recorded ones. */
export const STATUSES = ['live', 'upcoming', 'settling', 'ended'] as const
export type Status = (typeof STATUSES)[number]

import { madeMarket, madeRow } from '@bookreel/testbed/service/stored-markets'
import type { Category, Market } from '../../../src/domain/market.ts'
import { CATEGORY_PLANS } from '../../../src/domain/plan.ts'
import type { Snapshot } from '../../../src/domain/rows/snapshot.ts'

const DAY_MS = 86_400_000

/** Values of the filters `category`, `timeframe` and `subcategory` that the interface lists. */
const SERIES: readonly (readonly [category: Category, timeframe: string, subcategory: string])[] = [
  ...['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC'].map((coin) => ['crypto', 'hit-price', coin] as const),
  ...['NBA', 'NFL', 'EPL', 'FIFA', 'IPL'].map((league) => ['sports', 'game', league] as const),
  ['economics', 'rates', 'FOMC'],
  ['social', 'weekly', 'Elon'],
  ['weather', 'daily-high', 'London'],
  ['weather', 'daily-low', 'New York City'],
  ['weather', 'event', 'London'],
  ['weather', 'seasonal', 'London'],
  ['equities', 'annual', 'IPO'],
  ['equities', 'monthly', 'Private'],
  ['equities', 'daily', 'StockPrice'],
  ['equities', 'event', 'Commodity'],
  ['equities', 'earnings', 'Forex'],
  ['equities', 'quarterly', 'SPX'],
  ['equities', 'valuation', 'IPO'],
  ['equities', 'comparison', 'Private'],
  ['equities', 'leaderboard', 'SPX'],
]

export const LISTED_CATEGORIES = [...new Set(SERIES.map(([category]) => category))]
export const LISTED_TIMEFRAMES = ['5m', '15m', '1h', '4h', '1d', ...new Set(SERIES.map(([, timeframe]) => timeframe))]
export const LISTED_SUBCATEGORIES = [...new Set(SERIES.map(([, , subcategory]) => subcategory))]
export const LISTED_COINS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'BNB', 'HYPE', 'ZEC']

/** One live market for each value of a filter; the simulated world is too small to have them all. */
export function listedMarkets(nowMs: number): Market[] {
  return SERIES.map(([category, timeframe, subcategory]) => {
    const plan = CATEGORY_PLANS.find((each) => each.category === category)
    const slug = `listed-${category}-${timeframe}-${subcategory}`.toLowerCase().replaceAll(' ', '-')
    return madeMarket(slug, {
      slug,
      eventSlug: `listed-${subcategory}`.toLowerCase(),
      category,
      timeframe,
      subcategory,
      planId: plan?.id ?? '',
      captureIntervalMs: plan?.captureIntervalMs ?? 0,
      startsAtMs: nowMs - DAY_MS,
      endsAtMs: nowMs + DAY_MS,
    })
  })
}

/** A window of the past for each length, so that history lists have each length. */
export function pastWindows(nowMs: number): Market[] {
  return ['5m', '15m', '1h', '4h', '1d'].map((timeframe) => {
    const slug = `past-window-${timeframe}`
    const endsAtMs = nowMs - DAY_MS / 2
    const startsAtMs = endsAtMs - DAY_MS
    return madeMarket(slug, {
      slug,
      timeframe,
      subcategory: 'DOGE',
      outcomeNames: ['Up', 'Down'],
      startsAtMs,
      endsAtMs,
    })
  })
}

/** One row each, so that history lists have the market too. */
export function rowsOfListed(markets: readonly Market[], nowMs: number): Snapshot[] {
  return markets.map((market) => madeRow(market, { atMs: Math.min(nowMs, market.endsAtMs) - 20 * 60_000 }))
}

import type { Coin, SpotPrices } from '../../world/spot.ts'
import type { GridName } from '../price-grid.ts'
import type { Schedule } from './schedules.ts'

/** What the list of series says; only here are categories and tags. */
export interface SeriesFacts {
  ticker: string
  title: string
  category: string
  tags: readonly string[]
  frequency: string
  source: { name: string; url: string }
  /** The part of the exchange that trades it. */
  exchangeIndex: number
}

/** How a market about a spot price is settled; the strike of a window is known only when it opens. */
export interface SpotQuestion {
  coin: Coin
  rule: 'at least' | 'above'
  strike?: number
}

export interface MarketDraft {
  /** What follows the ticker of the event. */
  suffix: string
  title: string
  yesSubTitle: string
  rules: string
  strikeType?: 'greater' | 'greater_or_equal' | 'less' | 'between' | 'custom' | 'structured'
  floorStrike?: number
  capStrike?: number
  /** Average price of YES, in (0, 1). */
  usualPrice: number
  spot?: SpotQuestion
}

export interface EventDraft {
  ticker: string
  title: string
  subTitle: string
  /** Exactly one of its markets ends with YES. */
  isExclusive: boolean
  /** Start of a game, at which its markets are halted for a moment. */
  startMs?: number
  /** The close that is listed until the market closes early. */
  shownCloseMs?: number
  /** The most interesting market first. */
  markets: readonly MarketDraft[]
}

export interface DraftContext {
  seed: string
  spot: SpotPrices
  /** When the event is listed; its strikes lie around the price of that time. */
  listedMs: number
  openMs: number
  closeMs: number
}

/** A series whose events follow each other; an event is known by its number on the schedule. */
export interface Series {
  facts: SeriesFacts
  grid: GridName
  schedule: Schedule
  marketsPerEvent: number
  /** From the close to the result, and to the settlement. */
  determinedAfterMs: number
  settledAfterMs: number
  /** Combinations of other markets, which most lists leave out. */
  isCombo?: true
  draft(index: number, context: DraftContext): EventDraft
}

export const QUICK_SETTLEMENT = { determinedAfterMs: 3_000, settledAfterMs: 6_000 }
export const SLOW_SETTLEMENT = { determinedAfterMs: 60_000, settledAfterMs: 360_000 }

import { MAP_STEPS, type MapStep } from '../../data/map-steps.ts'
import { type CalendarPlace, placeOf } from '../../views/calendar/calendar-place.ts'
import { type HistorySearch, readHistorySearch } from './history/history-search.ts'

export const MARKET_TABS = ['live', 'history', 'coverage', 'data', 'code'] as const
export type MarketTab = (typeof MARKET_TABS)[number]
export const MARKET_SIDES = ['up', 'down'] as const
export type MarketSide = (typeof MARKET_SIDES)[number]

/** The view of a market page, as its address has it. A part that is left out has its usual value. */
export interface MarketSearch extends HistorySearch, CalendarPlace {
  readonly tab?: MarketTab
  readonly side?: MarketSide
  /** Minutes on the live map. */
  readonly span?: number
  /** Lower and upper code of the sizes on the live map, such as `40-90`. */
  readonly contrast?: string
  /** Cents of a row of the map. */
  readonly step?: MapStep
}

const MOST_MINUTES = 240
const CONTRAST = /^(\d{1,3})-(\d{1,3})$/

/** Reads the view from the address; a wrong value becomes the usual one. */
export function readMarketSearch(search: Record<string, unknown>): MarketSearch {
  const tab = MARKET_TABS.find((each) => each === search.tab)
  const side = MARKET_SIDES.find((each) => each === search.side)
  const span = Number.isInteger(search.span) && isWithin(Number(search.span), 1, MOST_MINUTES) && Number(search.span)
  const step = MAP_STEPS.find((each) => each === search.step)
  const contrast = contrastOf(search.contrast) && String(search.contrast)
  return {
    ...(tab !== undefined && { tab }),
    ...(side !== undefined && { side }),
    ...(span !== false && { span }),
    ...(contrast !== undefined && { contrast }),
    ...(step !== undefined && { step }),
    ...readHistorySearch(search),
    ...placeOf(search),
  }
}

/** Undefined for a text that is no contrast. */
export function contrastOf(text: unknown): { low: number; high: number } | undefined {
  const [, low, high] = (CONTRAST.exec(String(text)) ?? []).map(Number)
  if (low === undefined || high === undefined) return undefined
  return isWithin(low, 1, 254) && isWithin(high, low + 1, 255) ? { low, high } : undefined
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}

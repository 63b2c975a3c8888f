import { WINDOW_SERIES, type WindowSeries } from './catalogue/crypto-windows.ts'
import type { EventDraft } from './catalogue/draft.ts'
import { longLivedEvents } from './catalogue/long-lived.ts'
import type { Activity } from './market.ts'
import { random } from './random.ts'

/** Number of markets of each activity at any time. */
export type WorldSize = Record<Activity, number>

export interface Roster {
  series: readonly WindowSeries[]
  /** How many windows of each series exist beyond the open one. */
  windowsAhead: number
  longLived: { draft: EventDraft; activities: Activity[] }[]
}

const MAX_WINDOWS_AHEAD = 6

/** The venue's usual mix for a number of markets: 7.5 % hot, 17.5 % medium, the rest cold. */
export function usualSize(markets: number): WorldSize {
  const hot = Math.round(markets * 0.075)
  const medium = Math.round(markets * 0.175)
  return { hot, medium, cold: markets - hot - medium }
}

/**
 * The markets of a world of that size. In every window series one window is open (hot), the next one is medium, and
 * later ones are cold; long-lived markets fill the rest.
 */
export function roster(seed: string, startMs: number, size: WorldSize): Roster {
  const seriesCount = Math.min(WINDOW_SERIES.length, Math.ceil(size.hot * 0.6), size.medium)
  const coldWindows = seriesCount === 0 ? 0 : Math.floor((size.cold * 0.3) / seriesCount)
  const windowsAhead = 1 + Math.min(MAX_WINDOWS_AHEAD - 1, coldWindows)
  const hot = size.hot - seriesCount
  const medium = size.medium - seriesCount
  const cold = size.cold - seriesCount * (windowsAhead - 1)

  const activities = shuffled(seed, [
    ...Array.from({ length: hot }, () => 'hot' as const),
    ...Array.from({ length: medium }, () => 'medium' as const),
    ...Array.from({ length: cold }, () => 'cold' as const),
  ])
  const longLived = longLivedEvents(seed, startMs, activities.length).map((draft) => ({
    draft,
    activities: activities.splice(0, draft.markets.length),
  }))
  return { series: WINDOW_SERIES.slice(0, seriesCount), windowsAhead, longLived }
}

function shuffled<Item>(seed: string, items: Item[]): Item[] {
  const draw = random(seed, 'shuffle')
  return items
    .map((item) => ({ item, place: draw.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}

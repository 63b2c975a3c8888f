import type { Activity } from '../world/market.ts'
import { random } from '../world/random.ts'
import { OTHER_SERIES } from './catalogue/all-series.ts'
import { WINDOW_SERIES } from './catalogue/crypto.ts'
import type { Series } from './catalogue/draft.ts'
import { COMBO_SERIES } from './catalogue/sports.ts'

export type KalshiSize = Record<Activity, number>

/** A series with as many open events as it has slots; each slot gives the activities of the markets of its event. */
export interface SeriesPlan {
  series: Series
  slots: Activity[][]
}

/** Of a series, before the next one gets as many. */
const MARKETS_A_ROUND = 2
const ACTIVITIES = ['hot', 'medium', 'cold'] as const satisfies readonly Activity[]

/** The markets of a world of that size, and a few combinations: open windows are hot, other series share the rest evenly. */
export function kalshiRoster(seed: string, size: KalshiSize): SeriesPlan[] {
  const windows = WINDOW_SERIES.slice(0, Math.ceil(size.hot * 0.6)).map(
    (series): SeriesPlan => ({
      series,
      slots: [['hot']],
    }),
  )
  const activities = shuffledActivities(seed, { ...size, hot: size.hot - windows.length })
  const counts = marketCounts(activities.length)
  const others = OTHER_SERIES.flatMap((series): SeriesPlan[] => {
    const slots = (counts.get(series) ?? []).map((count) => busiestFirst(activities.splice(0, count)))
    return slots.length === 0 ? [] : [{ series, slots }]
  })
  const combos: SeriesPlan[] = others.length === 0 ? [] : [{ series: COMBO_SERIES, slots: [['cold', 'cold', 'cold']] }]
  return [...windows, ...others, ...combos]
}

/** How many markets each open event of each series has. */
function marketCounts(total: number): Map<Series, number[]> {
  const counts = new Map<Series, number[]>()
  for (let left = total; left > 0; ) {
    for (const series of OTHER_SERIES) {
      const events = counts.get(series) ?? []
      const filled = events.at(-1) ?? series.marketsPerEvent
      const isNew = filled >= series.marketsPerEvent
      const added = Math.min(left, MARKETS_A_ROUND, isNew ? MARKETS_A_ROUND : series.marketsPerEvent - filled)
      if (added === 0) break
      counts.set(series, isNew ? [...events, added] : [...events.slice(0, -1), filled + added])
      left -= added
    }
  }
  return counts
}

function shuffledActivities(seed: string, size: KalshiSize): Activity[] {
  const draw = random(seed, 'kalshi shuffle')
  return ACTIVITIES.flatMap((activity) => Array.from({ length: size[activity] }, () => activity))
    .map((activity) => ({ activity, place: draw.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ activity }) => activity)
}

/** The first markets of an event are the most interesting ones. */
function busiestFirst(activities: readonly Activity[]): Activity[] {
  return activities.toSorted((one, other) => ACTIVITIES.indexOf(one) - ACTIVITIES.indexOf(other))
}

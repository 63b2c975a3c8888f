import { z } from 'zod'
import type { Category } from '../../domain/market.ts'
import { HttpRefusal, type VenueHttp } from '../venue-http.ts'
import type { Query } from './list-events.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** A window that ended longer ago is ignored, although the venue still lists it as open. */
const LATE_WINDOW_MS = 6 * HOUR_MS
export const LATE_EVENT_MS = 3 * DAY_MS
const GAMES_AHEAD_MS = 14 * DAY_MS
/** The list of coin-price markets has many pages and changes little. */
const SLOW_LIST_EVERY_MS = 5 * MINUTE_MS

const TAG_IDS = {
  upOrDown: '102127',
  cryptoPrices: '1312',
  games: '100639',
  weather: '84',
  tweets: '972',
  finance: '120',
}
const RECORDED_SPORTS = /^(?:nba|nfl|epl|fifa.*|fifwc|fif|ipl)$/

/** The list that crypto windows found by their slugs are compared with; it also shows ended windows without a result. */
export const WINDOW_LIST = { name: 'windows', everyMs: MINUTE_MS, aheadMs: 2 * HOUR_MS }

export interface PlannedList {
  /** Key under which the last answer is kept. */
  name: string
  everyMs: number
  query?: Query
  search?: string
}

/** How long before its start a window is followed. */
export function leadMs(lengthMs: number): number {
  return Math.max(lengthMs, 5 * MINUTE_MS)
}

/** The catalogue queries of a category, always bounded by dates. */
export async function plannedLists(
  gamma: VenueHttp,
  category: Category,
  nowMs: number,
  signal: AbortSignal,
): Promise<PlannedList[]> {
  const from = (agoMs: number): Query => ({ closed: 'false', end_date_min: new Date(nowMs - agoMs).toISOString() })
  const tagged = (name: string, tagId: string, everyMs = 0): PlannedList => ({
    name,
    everyMs,
    query: { ...from(LATE_EVENT_MS), tag_id: tagId },
  })
  switch (category) {
    case 'crypto':
      return [
        {
          name: WINDOW_LIST.name,
          everyMs: WINDOW_LIST.everyMs,
          query: {
            ...from(LATE_WINDOW_MS),
            tag_id: TAG_IDS.upOrDown,
            end_date_max: new Date(nowMs + WINDOW_LIST.aheadMs).toISOString(),
          },
        },
        tagged('coin prices', TAG_IDS.cryptoPrices, SLOW_LIST_EVERY_MS),
      ]
    case 'sports': {
      const series = await sportsSeries(gamma, signal)
      const end_date_max = new Date(nowMs + GAMES_AHEAD_MS).toISOString()
      return series.map((series_id) => ({
        name: `games ${series_id}`,
        everyMs: 0,
        query: { ...from(LATE_EVENT_MS), series_id, tag_id: TAG_IDS.games, end_date_max },
      }))
    }
    case 'economics': {
      const tagId = (await tagIdOf(gamma, 'fed-rates', signal)) ?? (await tagIdOf(gamma, 'economy', signal))
      const search = { name: 'fed decision', everyMs: 0, search: 'fed decision' }
      return tagId === undefined ? [search] : [search, tagged('rates', tagId)]
    }
    case 'weather':
      return [tagged('weather', TAG_IDS.weather)]
    case 'social':
      return [tagged('tweets', TAG_IDS.tweets)]
    case 'equities': {
      const stocks = await tagIdOf(gamma, 'stocks', signal)
      return [tagged('finance', TAG_IDS.finance), ...(stocks === undefined ? [] : [tagged('stocks', stocks)])]
    }
  }
}

const SportsSchema = z.array(z.object({ sport: z.string(), series: z.union([z.string(), z.number()]).nullish() }))

/** The ids of a league's series change with every season. */
async function sportsSeries(gamma: VenueHttp, signal: AbortSignal): Promise<string[]> {
  const sports = SportsSchema.parse(JSON.parse(await gamma.get('/sports', signal)))
  return sports.flatMap(({ sport, series }) =>
    RECORDED_SPORTS.test(sport) && series !== null && series !== undefined ? [String(series)] : [],
  )
}

const TagSchema = z.object({ id: z.string() })

async function tagIdOf(gamma: VenueHttp, slug: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return TagSchema.parse(JSON.parse(await gamma.get(`/tags/slug/${slug}`, signal))).id
  } catch (error) {
    if (error instanceof HttpRefusal && error.status === 404) return undefined
    throw error
  }
}

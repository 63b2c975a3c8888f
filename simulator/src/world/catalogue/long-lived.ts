import { random } from '../random.ts'
import { cryptoPriceEvents } from './crypto-prices.ts'
import { DAY_MS, type EventDraft, type Occasion } from './draft.ts'
import { economicsEvents } from './economics.ts'
import { equitiesEvents } from './equities.ts'
import { socialEvents } from './social.ts'
import { sportsEvents } from './sports.ts'
import { weatherEvents } from './weather.ts'

const CATEGORIES: readonly [name: string, write: (occasion: Occasion) => EventDraft[]][] = [
  ['crypto', cryptoPriceEvents],
  ['sports', sportsEvents],
  ['economics', economicsEvents],
  ['weather', weatherEvents],
  ['social', socialEvents],
  ['equities', equitiesEvents],
]

/**
 * Events that last longer than a window, category by category in turn so that even a small world has some
 * of each, until they hold `marketCount` markets; the last event is cut to fit.
 */
export function longLivedEvents(seed: string, startMs: number, marketCount: number): EventDraft[] {
  const firstDayMs = Math.floor(startMs / DAY_MS) * DAY_MS
  const events: EventDraft[] = []
  let missing = marketCount
  for (let round = 0; missing > 0; round++) {
    for (const event of roundOfEvents(seed, firstDayMs, round)) {
      if (missing <= 0) break
      events.push(event.markets.length <= missing ? event : { ...event, markets: event.markets.slice(0, missing) })
      missing -= event.markets.length
    }
  }
  return events
}

function roundOfEvents(seed: string, firstDayMs: number, round: number): EventDraft[] {
  const written = CATEGORIES.map(([name, write]) => write({ firstDayMs, round, draw: random(seed, name, round) }))
  const longest = Math.max(...written.map((events) => events.length))
  return Array.from({ length: longest }, (_, index) => written.flatMap((events) => events[index] ?? [])).flat()
}

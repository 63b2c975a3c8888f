import { namesOf } from '@bookreel/service/venues/kalshi/market-names'
import type { Intervention } from '@bookreel/simulator/kalshi/happenings'
import type { KalshiMarket } from '@bookreel/simulator/kalshi/kalshi-market'
import type { KalshiWorldOptions } from '@bookreel/simulator/kalshi/kalshi-world'
import { replayKalshi } from '@bookreel/simulator/kalshi/replay'
import { digestOf, type StoredBook } from '../venues/true-books.ts'

/** A snapshot has no time of its own, so its rows have the time at which it was received. */
const RECEIVED_WITHIN_MS = 1_000

interface State {
  readonly fromMs: number
  readonly digest: string
}

/** What the simulator tells about its world. */
export interface KalshiTruth {
  readonly options: KalshiWorldOptions
  readonly interventions: readonly Intervention[]
}

/** Every state of every book, by market id: the world is run again. */
export function trueStates({ options, interventions }: KalshiTruth, toMs: number): Map<string, State[]> {
  const states = new Map<string, State[]>()
  const note = (market: KalshiMarket, fromMs: number): void => {
    const { marketId } = namesOf(market.ticker)
    const known = states.get(marketId) ?? []
    states.set(marketId, known)
    known.push({ fromMs, digest: digestOf(market.book) })
  }
  for (const market of replayKalshi(options, [], options.startMs, () => {}).markets.values())
    note(market, options.startMs)
  replayKalshi(options, interventions, toMs, (happening) => {
    if ('market' in happening) note(happening.market, happening.atMs)
  })
  return states
}

/** The stored books of these markets that they did not have at, or shortly before, their time. */
export function wrongBooks(
  stored: readonly StoredBook[],
  states: ReadonlyMap<string, readonly State[]>,
  withinMs = RECEIVED_WITHIN_MS,
): readonly StoredBook[] {
  return stored.filter(({ market, eventMs, digest }) => {
    const known = states.get(market) ?? []
    return !known.some((state, index) => {
      const untilMs = known[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY
      return state.digest === digest && state.fromMs <= eventMs && untilMs >= eventMs - withinMs
    })
  })
}

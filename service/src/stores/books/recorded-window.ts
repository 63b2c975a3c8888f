import { KeptAnswers } from '../platform/kept-answers.ts'
import type { MarketDay, MarketDayStore } from './market-days.ts'

/** The days on which a market has rows, and the first and last slot of all. */
export interface RecordedWindow {
  readonly firstSlot: number
  readonly lastSlot: number
  readonly days: readonly MarketDay[]
}

/** First and last recorded slot of each market, cached for 10 seconds because every read of its rows needs them. */
export class RecordedWindows {
  readonly #marketDays: Pick<MarketDayStore, 'days'>
  // Reads of a market that has not ended use the current time as their upper bound, so they find newer rows.
  readonly #cache = new KeptAnswers<RecordedWindow | undefined>({ freshForMs: 10_000, most: 20_000 })

  constructor(marketDays: Pick<MarketDayStore, 'days'>) {
    this.#marketDays = marketDays
  }

  /** Undefined for a market without rows. */
  of(marketId: string, nowMs: number): Promise<RecordedWindow | undefined> {
    return this.#cache.get(marketId, nowMs, async () => windowOf(await this.#marketDays.days(marketId)))
  }
}

function windowOf(days: readonly MarketDay[]): RecordedWindow | undefined {
  const [first, last] = [days[0], days.at(-1)]
  return first && last && { firstSlot: first.firstSlot, lastSlot: last.lastSlot, days }
}

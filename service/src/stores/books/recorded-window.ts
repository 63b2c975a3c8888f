import { KeptAnswers } from '../platform/kept-answers.ts'
import type { MarketDay, MarketDayStore } from './market-days.ts'

/** The days on which a market has rows, and the first and last slot of all. */
export interface RecordedWindow {
  readonly firstSlot: number
  readonly lastSlot: number
  readonly days: readonly MarketDay[]
}

/** From when to when each market was recorded, remembered for seconds: every read of its rows needs to know it. */
export class RecordedWindows {
  readonly #marketDays: Pick<MarketDayStore, 'days'>
  // What began since is found by bounds that reach until now, not by this.
  readonly #kept = new KeptAnswers<RecordedWindow | undefined>({ freshForMs: 10_000, most: 20_000 })

  constructor(marketDays: Pick<MarketDayStore, 'days'>) {
    this.#marketDays = marketDays
  }

  /** Undefined for a market without a single row. */
  of(marketId: string, nowMs: number): Promise<RecordedWindow | undefined> {
    return this.#kept.get(marketId, nowMs, async () => windowOf(await this.#marketDays.days(marketId)))
  }
}

function windowOf(days: readonly MarketDay[]): RecordedWindow | undefined {
  const [first, last] = [days[0], days.at(-1)]
  return first && last && { firstSlot: first.firstSlot, lastSlot: last.lastSlot, days }
}

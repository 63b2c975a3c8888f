import { addCounts, type CategoryCount, dayOf, type PerpCount, type PlatformStatsStore } from './platform-stats.ts'
import { Remembered } from './remembered.ts'

export interface PlatformFigures {
  readonly categories: readonly CategoryCount[]
  readonly marketsByCategory: ReadonlyMap<string, number>
  readonly lateExchange: PerpCount
  /** When the figures were counted. */
  readonly madeAtMs: number
}

const LATE_MS = 300_000
const DAY_MS = 86_400_000
const FIRST_DAY = 0
const LAST_DAY = 65_535
/** Past days change only when rows arrive more than a day late. */
const PAST_MEMORY = { freshForMs: 600_000, servesForMs: DAY_MS }
const PRESENT_MEMORY = { freshForMs: 5_000, servesForMs: 600_000 }

/** Figures of the whole service, cached for some seconds because counting is expensive. */
export class Platform {
  readonly #past: Remembered<{ readonly untilDay: number; readonly counts: readonly CategoryCount[] }>
  readonly #present: Remembered<Omit<PlatformFigures, 'madeAtMs'>>

  constructor(stats: PlatformStatsStore, nowMs: () => number = Date.now) {
    this.#past = new Remembered(async () => {
      const untilDay = dayOf(nowMs()) - 1
      return { untilDay, counts: await stats.countByCategory({ from: FIRST_DAY, to: untilDay }) }
    }, PAST_MEMORY)
    this.#present = new Remembered(async () => {
      const past = await this.#past.read(nowMs())
      const [counts, marketsByCategory, lateExchange] = await Promise.all([
        stats.countByCategory({ from: past.value.untilDay, to: LAST_DAY }),
        stats.marketsByCategory(),
        stats.perpsSince(nowMs() - LATE_MS),
      ])
      return { categories: addCounts([...past.value.counts, ...counts]), marketsByCategory, lateExchange }
    }, PRESENT_MEMORY)
  }

  async read(nowMs: number): Promise<PlatformFigures> {
    const { value, madeAtMs } = await this.#present.read(nowMs)
    return { ...value, madeAtMs }
  }
}

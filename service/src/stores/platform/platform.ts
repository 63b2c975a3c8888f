import type { Clock } from '../../domain/clock.ts'
import type { RedisConnection } from '../engines/redis-connection.ts'
import { addCounts, type CategoryCount, dayOf, type PerpCount, type PlatformStatsStore } from './platform-stats.ts'
import type { Remembered } from './remembered.ts'
import { rememberShared } from './shared-value.ts'

interface Figures {
  readonly categories: readonly CategoryCount[]
  readonly marketsByCategory: Readonly<Record<string, number>>
  readonly lateExchange: PerpCount
}

export interface PlatformFigures extends Figures {
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

/** Figures of the whole service. Counting is expensive, so one process counts for all, every few seconds. */
export class Platform {
  readonly #present: Remembered<Figures>

  constructor(stats: PlatformStatsStore, redis: Pick<RedisConnection, 'ask'>, clock: Clock) {
    const past = rememberShared(redis, {
      name: 'past-days',
      ...PAST_MEMORY,
      nowMs: clock,
      async make() {
        const untilDay = dayOf(clock()) - 1
        return { untilDay, counts: await stats.countByCategory({ from: FIRST_DAY, to: untilDay }) }
      },
    })
    this.#present = rememberShared(redis, {
      name: 'figures',
      ...PRESENT_MEMORY,
      nowMs: clock,
      async make() {
        const nowMs = clock()
        const { untilDay, counts: before } = (await past.read(nowMs)).value
        const [counts, markets, lateExchange] = await Promise.all([
          stats.countByCategory({ from: untilDay, to: LAST_DAY }),
          stats.marketsByCategory(),
          stats.perpsSince(nowMs - LATE_MS),
        ])
        return {
          categories: addCounts([...before, ...counts]),
          marketsByCategory: Object.fromEntries(markets),
          lateExchange,
        }
      },
    })
  }

  async read(nowMs: number): Promise<PlatformFigures> {
    const { value, madeAtMs } = await this.#present.read(nowMs)
    return { ...value, madeAtMs }
  }
}

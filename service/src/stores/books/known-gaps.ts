import type { Gap } from '../../domain/rows/gap.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { KeptAnswers } from '../platform/kept-answers.ts'
import type { GapStore } from './gaps.ts'
import type { SampledMarket } from './slot-sql.ts'

const DAY_MS = 86_400_000

/** Caches gaps for two seconds, because a client that reads page by page needs the same gaps for every page. */
export class KnownGaps {
  readonly #gaps: Pick<GapStore, 'range'>
  readonly #cache = new KeptAnswers<readonly Gap[]>({ freshForMs: 2_000, most: 2_000 })

  constructor(gaps: Pick<GapStore, 'range'>) {
    this.#gaps = gaps
  }

  /** All gaps that touch the range, and possibly others of the same day. */
  async around(range: SampledMarket & TimeRange, nowMs: number): Promise<readonly Gap[]> {
    const [firstDay, lastDay] = [Math.floor(range.fromMs / DAY_MS), Math.floor((range.toMs - 1) / DAY_MS)]
    if (lastDay !== firstDay) return this.#gaps.range(range)
    const day = { ...range, fromMs: firstDay * DAY_MS, toMs: (firstDay + 1) * DAY_MS }
    return this.#cache.get(`${range.marketId} ${firstDay}`, nowMs, () => this.#gaps.range(day))
  }
}

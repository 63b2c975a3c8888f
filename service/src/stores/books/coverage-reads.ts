import type { CoverageSum } from '../../domain/coverage-sums.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { KeptAnswers } from '../platform/kept-answers.ts'
import type { CoverageCounts, CoverageFilter } from './coverage-counts.ts'

/** A month by hour is about 9,000 sums. */
const KEPT = { freshForMs: 10_000, most: 8 }

/** What was counted of all markets, for callers without a key. */
export class CoverageReads {
  readonly #counts: Pick<CoverageCounts, 'list' | 'counted'>
  readonly #sums = new KeptAnswers<readonly CoverageSum[]>(KEPT)
  readonly #days = new KeptAnswers<ReadonlyMap<number, number>>(KEPT)

  constructor(counts: Pick<CoverageCounts, 'list' | 'counted'>) {
    this.#counts = counts
  }

  list(filter: CoverageFilter, nowMs: number): Promise<readonly CoverageSum[]> {
    const { part, venue, category, fromMs, toMs } = filter
    const key = [part, venue, category, fromMs, toMs].join(' ')
    return this.#sums.get(key, nowMs, () => this.#counts.list(filter))
  }

  counted(range: TimeRange, nowMs: number): Promise<ReadonlyMap<number, number>> {
    const key = `${range.fromMs} ${range.toMs}`
    return this.#days.get(key, nowMs, () => this.#counts.counted(range))
  }
}

import type { Gap } from '../../domain/rows/gap.ts'
import { KeptAnswers } from '../platform/kept-answers.ts'
import type { GapStore } from './gaps.ts'
import type { Span } from './snapshots.ts'

const DAY_MS = 86_400_000

/** Gaps as they were known two seconds ago at most: whoever walks over a market asks for the same ones with every page. */
export class KnownGaps {
  readonly #gaps: Pick<GapStore, 'range'>
  readonly #kept = new KeptAnswers<readonly Gap[]>({ freshForMs: 2_000, most: 2_000 })

  constructor(gaps: Pick<GapStore, 'range'>) {
    this.#gaps = gaps
  }

  /** All that touch the days of the span, and so all that touch the span. */
  async around(span: Span, nowMs: number): Promise<readonly Gap[]> {
    const [firstDay, lastDay] = [Math.floor(span.fromMs / DAY_MS), Math.floor((span.toMs - 1) / DAY_MS)]
    if (lastDay !== firstDay) return this.#gaps.range(span)
    const day = { ...span, fromMs: firstDay * DAY_MS, toMs: (firstDay + 1) * DAY_MS }
    return this.#kept.get(`${span.marketId} ${firstDay}`, nowMs, () => this.#gaps.range(day))
  }
}

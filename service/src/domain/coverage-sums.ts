import type { CoveragePart } from './coverage-parts.ts'
import { type WorstMarket, worstMarkets } from './worst-markets.ts'

/** Of all markets of a category in an hour or a day. */
export interface CoverageSum extends Omit<CoveragePart, 'condition'> {
  readonly part: 'hour' | 'day'
  readonly venue: string
  readonly category: string
  readonly marketCount: number
  /** Of a day; undefined for hours, and for days that were counted before it existed. */
  readonly worst?: readonly WorstMarket[] | undefined
}

interface Of extends Pick<CoverageSum, 'part' | 'venue' | 'category'> {
  readonly marketId: string
}

/** Adds up parts of markets by time, venue and category. */
export class CoverageSums {
  readonly #sums = new Map<string, CoverageSum>()

  add(
    { part, venue, category, marketId }: Of,
    { startMs, expected, stored, suspect, causes }: Omit<CoveragePart, 'condition'>,
  ) {
    const key = `${part} ${startMs} ${venue} ${category}`
    const sum = this.#sums.get(key)
    this.#sums.set(key, {
      part,
      venue,
      category,
      startMs,
      marketCount: (sum?.marketCount ?? 0) + 1,
      expected: (sum?.expected ?? 0) + expected,
      stored: (sum?.stored ?? 0) + stored,
      suspect: (sum?.suspect ?? 0) + suspect,
      causes: addedCauses(sum?.causes ?? {}, causes),
      ...(part === 'day' && {
        worst: worstMarkets([...(sum?.worst ?? []), { marketId, expected, stored, suspect }]),
      }),
    })
  }

  all(): CoverageSum[] {
    return [...this.#sums.values()]
  }
}

type Causes = CoveragePart['causes']

export function addedCauses(one: Causes, other: Causes): Causes {
  const sum: Record<string, number> = { ...one }
  for (const [cause, slots] of Object.entries(other)) sum[cause] = (sum[cause] ?? 0) + slots
  return sum
}

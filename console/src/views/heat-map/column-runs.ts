import type { HeatRing } from './heat-ring.ts'

/** How a column is drawn: its sizes, nothing known, hatched because no slot has a row, or dotted because of a doubt. */
type ColumnKind = 'sizes' | 'unknown' | 'missing' | 'suspect'

export interface ColumnRun {
  readonly kind: ColumnKind
  /** Number of the first column, and of the one after the last. */
  readonly from: number
  readonly to: number
}

function kindOf(ring: HeatRing, number: number): ColumnKind {
  const place = ring.placeOf(number)
  if (place === undefined || ring.expected[place] === 0) return 'unknown'
  if (ring.stored[place] === 0) return 'missing'
  return (ring.suspect[place] ?? 0) > 0 ? 'suspect' : 'sizes'
}

/** Neighbours of one kind together, from left to right. Nothing is drawn over what is missing. */
export function columnRuns(ring: HeatRing, from: number, to: number): ColumnRun[] {
  const runs: ColumnRun[] = []
  let start = from
  for (let number = from; number < to; number++) {
    const kind = kindOf(ring, number)
    if (number + 1 < to && kindOf(ring, number + 1) === kind) continue
    runs.push({ kind, from: start, to: number + 1 })
    start = number + 1
  }
  return runs
}

/** Columns of which some slots have no row. */
export function incompleteColumns(ring: HeatRing, from: number, to: number): number[] {
  const numbers: number[] = []
  for (let number = from; number < to; number++) {
    const place = ring.placeOf(number)
    if (place === undefined) continue
    const stored = ring.stored[place] ?? 0
    if (stored > 0 && stored < (ring.expected[place] ?? 0)) numbers.push(number)
  }
  return numbers
}

import type { Gap } from './rows/gap.ts'
import { type SlotRange, slotCount } from './slot-range.ts'

/** How many slots of a range have no row, and why. */
export interface SlotAccounting {
  readonly expectedSlots: number
  readonly missingSlots: number
  /** Missing without a gap record, which is always a bug. */
  readonly unaccountedSlots: number
  /** Gap records cut to the range; where a row exists, a missing gap does not count. */
  readonly gaps: readonly Gap[]
}

/** Compares gap records with the slots of a range that have no row; both in order, the runs disjoint. */
export function accountFor(range: SlotRange, runs: readonly SlotRange[], records: readonly Gap[]): SlotAccounting {
  const gaps = records.flatMap((gap) => partsOf(gap, gap.kind === 'missing' ? runs : [range]))
  const missing = gaps.filter(({ kind }) => kind === 'missing')
  const missingSlots = runs.reduce((sum, run) => sum + slotCount(run), 0)
  return {
    expectedSlots: slotCount(range),
    missingSlots,
    unaccountedSlots: missingSlots - coveredBy(missing),
    gaps: gaps.toSorted((one, other) => one.fromSlot - other.fromSlot || one.toSlot - other.toSlot),
  }
}

/** The parts of a gap that lie in the runs. */
function partsOf(gap: Gap, runs: readonly SlotRange[]): Gap[] {
  const parts: Gap[] = []
  for (let index = firstEndingAtOrAfter(runs, gap.fromSlot); index < runs.length; index++) {
    const run = runs[index]
    if (run === undefined || run.fromSlot > gap.toSlot) break
    parts.push({
      ...gap,
      fromSlot: Math.max(gap.fromSlot, run.fromSlot),
      toSlot: Math.min(gap.toSlot, run.toSlot),
    })
  }
  return parts
}

/** Slots that the ranges cover together; several may cover the same slots. */
export function coveredBy(parts: readonly SlotRange[]): number {
  let [covered, reached] = [0, Number.NEGATIVE_INFINITY]
  for (const { fromSlot, toSlot } of parts.toSorted((one, other) => one.fromSlot - other.fromSlot)) {
    covered += Math.max(0, toSlot - Math.max(fromSlot, reached + 1) + 1)
    reached = Math.max(reached, toSlot)
  }
  return covered
}

function firstEndingAtOrAfter(runs: readonly SlotRange[], slot: number): number {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((runs[middle]?.toSlot ?? slot) < slot) low = middle + 1
    else high = middle
  }
  return low
}

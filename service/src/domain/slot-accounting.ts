import type { Gap } from './rows/gap.ts'

/** Slots one after another, both ends included. */
export interface SlotRun {
  readonly fromSlot: number
  readonly toSlot: number
}

/** What became of every slot of a range. */
export interface SlotAccounting {
  readonly expectedSlots: number
  readonly missingSlots: number
  /** Missing without a record that says why: a bug of ours, wherever it shows. */
  readonly unaccountedSlots: number
  /** Records as far as they hold for this range: where a row exists, one of missing rows doesn't count. */
  readonly gaps: readonly Gap[]
}

/** Settles records against the slots of a range that have no row; both rising, the runs apart from each other. */
export function accountFor(range: SlotRun, runs: readonly SlotRun[], records: readonly Gap[]): SlotAccounting {
  const gaps = records.flatMap((gap) => partsOf(gap, gap.kind === 'missing' ? runs : [range]))
  const missing = gaps.filter(({ kind }) => kind === 'missing')
  const missingSlots = runs.reduce((sum, run) => sum + lengthOf(run), 0)
  return {
    expectedSlots: lengthOf(range),
    missingSlots,
    unaccountedSlots: missingSlots - coveredBy(missing),
    gaps: gaps.toSorted((one, other) => one.fromSlot - other.fromSlot || one.toSlot - other.toSlot),
  }
}

export function lengthOf({ fromSlot, toSlot }: SlotRun): number {
  return Math.max(0, toSlot - fromSlot + 1)
}

/** The parts of a record that lie in the runs. */
function partsOf(gap: Gap, runs: readonly SlotRun[]): Gap[] {
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

/** Several records may tell of the same slots. */
function coveredBy(parts: readonly SlotRun[]): number {
  let [covered, reached] = [0, Number.NEGATIVE_INFINITY]
  for (const { fromSlot, toSlot } of parts.toSorted((one, other) => one.fromSlot - other.fromSlot)) {
    covered += Math.max(0, toSlot - Math.max(fromSlot, reached + 1) + 1)
    reached = Math.max(reached, toSlot)
  }
  return covered
}

function firstEndingAtOrAfter(runs: readonly SlotRun[], slot: number): number {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((runs[middle]?.toSlot ?? slot) < slot) low = middle + 1
    else high = middle
  }
  return low
}

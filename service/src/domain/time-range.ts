/** A range of time in epoch milliseconds; the end is excluded. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}

/** The parts of a range that none of the others contains, in order. */
export function partsOutside(range: TimeRange, others: readonly TimeRange[]): TimeRange[] {
  let left = [range]
  for (const { fromMs, toMs } of others)
    left = left
      .flatMap((part) => [
        { fromMs: part.fromMs, toMs: Math.min(part.toMs, fromMs) },
        { fromMs: Math.max(part.fromMs, toMs), toMs: part.toMs },
      ])
      .filter((part) => part.fromMs < part.toMs)
  return left
}

/** The part that two ranges share; undefined when they share none. */
export function overlapOf(one: TimeRange, other: TimeRange): TimeRange | undefined {
  const shared = { fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) }
  return shared.fromMs < shared.toMs ? shared : undefined
}

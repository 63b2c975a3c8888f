/** A range of time in epoch milliseconds; the end is excluded. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
}

/** The part that two ranges share; undefined when they share none. */
export function overlapOf(one: TimeRange, other: TimeRange): TimeRange | undefined {
  const shared = { fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) }
  return shared.fromMs < shared.toMs ? shared : undefined
}

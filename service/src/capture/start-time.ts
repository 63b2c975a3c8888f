/** Two clocks that differ by less agree: it is more than the way of an answer, and less than any wrong clock. */
export const AGREE_WITHIN_MS = 2_000

export interface KnownTimes {
  readonly wallMs: number
  /** The clock of the NATS server. */
  readonly busMs: number
  /** The clock of a venue; undefined when it was not asked or did not answer. */
  readonly venueMs?: number | undefined
  /** The last tick that any shard has recorded; 0 without one. */
  readonly lastTickMs: number
}

export function agree(oneMs: number, otherMs: number): boolean {
  return Math.abs(oneMs - otherMs) <= AGREE_WITHIN_MS
}

/**
 * The time at which a recorder starts. If this machine and the NATS server disagree, the venue decides. Without it, the
 * earlier time counts that is not behind what was recorded: a clock that is behind is set ahead later and leaves a gap,
 * while a clock that is ahead writes rows of a time that has not come.
 */
export function startTimeOf({ wallMs, busMs, venueMs, lastTickMs }: KnownTimes): number {
  if (agree(wallMs, busMs)) return wallMs
  if (venueMs !== undefined) return Math.abs(wallMs - venueMs) <= Math.abs(busMs - venueMs) ? wallMs : busMs
  const [earlierMs, laterMs] = wallMs < busMs ? [wallMs, busMs] : [busMs, wallMs]
  const isBehind = lastTickMs > earlierMs + AGREE_WITHIN_MS && lastTickMs <= laterMs + AGREE_WITHIN_MS
  return isBehind ? laterMs : earlierMs
}

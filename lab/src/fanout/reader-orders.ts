/** Commands for the process of readers and its replies, one JSON object a line. */
export type ReaderOrder =
  | {
      readonly do: 'open'
      readonly port: number
      readonly count: number
      /** Used in turn. */
      readonly keys: readonly string[]
      /** Frame that each sends after the welcome; empty for none. */
      readonly subscribe: string
      /** Opened, subscribed, and never read from, so that even a close is not noticed. */
      readonly isStopped: boolean
    }
  | { readonly do: 'count' }
  | { readonly do: 'close' }

/** Counts since the last report. */
export interface Counted {
  readonly messages: number
  readonly bytes: number
  readonly seconds: number
  /** Number of messages by lag in milliseconds from sending to reading, ascending. */
  readonly lags: readonly (readonly [ms: number, count: number])[]
  /** Connections that were closed by the server. */
  readonly closed: number
}

/** The lag at the given quantile. */
export function lagAt(counts: readonly Counted[], share: number): number {
  const byLag = new Map<number, number>()
  for (const [ms, count] of counts.flatMap(({ lags }) => lags)) byLag.set(ms, (byLag.get(ms) ?? 0) + count)
  const sorted = [...byLag].sort(([one], [other]) => one - other)
  let left = sorted.reduce((sum, [, count]) => sum + count, 0) * share
  for (const [ms, count] of sorted) {
    left -= count
    if (left < 0) return ms
  }
  return Number.NaN
}

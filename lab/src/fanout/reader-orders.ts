/** What the process of readers is told, one JSON object a line, and what it answers, one for each. */
export type ReaderOrder =
  | {
      readonly do: 'open'
      readonly port: number
      readonly count: number
      /** In turn. */
      readonly keys: readonly string[]
      /** Sent by each when it is welcome; nothing where it is empty. */
      readonly subscribe: string
      /** Opened, subscribed, and never read from; not even that it was closed is noticed. */
      readonly isStopped: boolean
    }
  | { readonly do: 'count' }
  | { readonly do: 'close' }

/** Since the last time that it was asked. */
export interface Counted {
  readonly messages: number
  readonly bytes: number
  readonly seconds: number
  /** How many messages were read so many milliseconds after they were sent, by rising lag. */
  readonly lags: readonly (readonly [ms: number, count: number])[]
  /** Connections that were closed by the server. */
  readonly closed: number
}

/** The lag that the given share of all messages does not exceed. */
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

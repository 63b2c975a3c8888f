import type { Legacy } from './recorder.ts'

export interface ShardProgress {
  /** Up to here all that was said is on the bus. */
  readonly accountedTickMs: number
  /** Markets that are being recorded. */
  readonly ours: readonly string[]
  /** What earlier recorders left, each market with the last tick that is accounted for. */
  readonly legacy: Legacy
  /** The first tick at which something was said of a market: from then on its legacy is told. */
  readonly saidAtMs: (marketId: string) => number | undefined
  /** By now whoever is still to be found has ended. */
  readonly isLate: boolean
}

export interface ShardSlots {
  /** Accounted for up to the shard's last tick. */
  readonly marketIds: string[]
  /** Accounted for only up to an earlier tick, each to its own. */
  readonly waiting: Record<string, number>
}

/**
 * What a successor has to know. A market of a slow interval may be followed again without anything being said of it
 * yet: until its first slot is on the bus, the time since its earlier recorder is still nobody's.
 */
export function shardSlots({ accountedTickMs, ours, legacy, saidAtMs, isLate }: ShardProgress): ShardSlots {
  const followed = new Set(ours)
  const isTold = (id: string): boolean => (saidAtMs(id) ?? Number.POSITIVE_INFINITY) <= accountedTickMs
  const waiting = [...legacy].filter(([id]) => !isTold(id) && (followed.has(id) || !isLate))
  for (const [id] of waiting) followed.delete(id)
  return { marketIds: [...followed], waiting: Object.fromEntries(waiting) }
}

import type { InheritedMarkets } from './resumed-shard.ts'

export interface ShardProgress {
  /** Up to this tick every row and gap record is on the bus. */
  readonly accountedTickMs: number
  readonly followed: readonly string[]
  readonly inherited: InheritedMarkets
  /** The first tick at which this recorder wrote a row or gap record of an inherited market. */
  readonly firstTickMs: (marketId: string) => number | undefined
  /** Discovery had enough time: inherited markets that it has not listed have ended. */
  readonly isDiscoveryComplete: boolean
}

export interface ShardSlots {
  /** Accounted for up to the shard's last tick. */
  readonly marketIds: string[]
  /** Accounted for only up to an earlier tick, which differs by market. */
  readonly waiting: Record<string, number>
}

/**
 * The state to save for the next recorder. An inherited market with a long interval may be followed before its
 * first slot is due: until that slot is on the bus, the time since the earlier recorder has no gap record.
 */
export function shardSlots(progress: ShardProgress): ShardSlots {
  const { accountedTickMs, inherited, firstTickMs, isDiscoveryComplete } = progress
  const followed = new Set(progress.followed)
  const isPublished = (id: string): boolean => (firstTickMs(id) ?? Number.POSITIVE_INFINITY) <= accountedTickMs
  const waiting = [...inherited].filter(([id]) => !isPublished(id) && (followed.has(id) || !isDiscoveryComplete))
  for (const [id] of waiting) followed.delete(id)
  return { marketIds: [...followed], waiting: Object.fromEntries(waiting) }
}

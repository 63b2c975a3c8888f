import type { RecorderBoard } from '../bus/recorder-board.ts'
import type { ShardLeases } from '../bus/shard-leases.ts'
import type { StoredBatches } from '../bus/stored-batches.ts'

export interface ShardPlacesDeps {
  board: RecorderBoard
  leases: Pick<ShardLeases, 'timer'>
  stored: Pick<StoredBatches, 'follow' | 'leave'>
  group: string
  shards: readonly string[]
  follow: (shards: ReadonlySet<string>) => void
  /** Whether this process records the shard, or could go on with it at once. */
  isReady: (shard: string) => boolean
  isHeld: (shard: string) => boolean
}

/** The recorder with the first rank gets this long before another one that is ready takes a free shard. */
const STANDBY_AFTER_MS = 500
/** Recorders that are ready get this long before one that is not takes a free shard. */
const COLD_AFTER_MS = 2_000
/** Something is wrong with the recorders that should have taken the shard. */
const ANYONE_AFTER_MS = 10_000
/** Ranks may change again soon, and to follow a shard anew costs a socket and all its books. */
const UNFOLLOW_AFTER_MS = 10_000
/** A shard that was given away is not taken back before the other one had time to take it. */
const NOT_TAKEN_BACK_MS = 5_000

/** Which shards this process follows, takes and gives away, by its ranks and by what the others say. */
export class ShardPlaces {
  readonly #deps: ShardPlacesDeps
  readonly #followed = new Set<string>()
  readonly #unwantedSinceMs = new Map<string, number>()
  readonly #releasedAtMs = new Map<string, number>()
  #isStandbyWorkDropped = false

  constructor(deps: ShardPlacesDeps) {
    this.#deps = deps
    const { board, group, isReady } = deps
    board.tellWarm(group, () => [...this.#followed].filter((shard) => isReady(shard)))
  }

  /** Shards of other processes that this one is ready for. */
  get standbyCount(): number {
    const { isHeld, isReady } = this.#deps
    return [...this.#followed].filter((shard) => !isHeld(shard) && isReady(shard)).length
  }

  dropStandbyWork(isDropped: boolean): void {
    this.#isStandbyWorkDropped = isDropped
  }

  released(shard: string): void {
    this.#releasedAtMs.set(shard, this.#nowMs())
  }

  /** Decides anew which shards are followed, and tells the others which ones are warm. */
  look(): void {
    const { board, stored, shards, follow, isHeld } = this.#deps
    for (const shard of shards) {
      if (this.#isWanted(shard)) {
        this.#unwantedSinceMs.delete(shard)
        if (!isHeld(shard)) stored.follow(shard)
        this.#followed.add(shard)
        continue
      }
      if (!this.#followed.has(shard)) continue
      const sinceMs = this.#unwantedSinceMs.get(shard) ?? this.#nowMs()
      this.#unwantedSinceMs.set(shard, sinceMs)
      if (!this.#isStandbyWorkDropped && this.#nowMs() - sinceMs < UNFOLLOW_AFTER_MS) continue
      stored.leave(shard)
      this.#followed.delete(shard)
    }
    follow(this.#followed)
    board.announceChanges()
  }

  mayAcquire(shard: string): boolean {
    const { board, group } = this.#deps
    if (board.holderOf(shard) !== undefined || !this.#followed.has(shard)) return false
    if (!board.hasOthers(group)) return true
    const freeMs = board.freeForMs(shard)
    const isFirst = this.#rankOf(shard) === 0
    const wasReleasedMs = this.#nowMs() - (this.#releasedAtMs.get(shard) ?? Number.NEGATIVE_INFINITY)
    if (!isFirst && wasReleasedMs < NOT_TAKEN_BACK_MS) return false
    if (this.#deps.isReady(shard)) return isFirst || freeMs >= STANDBY_AFTER_MS
    if (isFirst) return freeMs >= COLD_AFTER_MS || !board.hasOtherWarm(shard)
    return freeMs >= ANYONE_AFTER_MS
  }

  /** The recorder with the first rank is another one, and it is ready. */
  mayRelease(shard: string): boolean {
    const { board, group, shards } = this.#deps
    const [first] = board.ranksOf(group, shards).get(shard) ?? []
    return first !== undefined && first !== board.rankName && board.isWarm(shard, first)
  }

  #isWanted(shard: string): boolean {
    const { board, isHeld } = this.#deps
    const rank = this.#rankOf(shard)
    if (isHeld(shard) || rank === 0) return true
    // Its recorder is gone, and this process may be the only one that can go on without a hole.
    if (this.#followed.has(shard) && board.holderOf(shard) === undefined) return true
    return rank > 0 && !this.#isStandbyWorkDropped
  }

  #rankOf(shard: string): number {
    const { board, group, shards } = this.#deps
    return board.ranksOf(group, shards).get(shard)?.indexOf(board.rankName) ?? -1
  }

  #nowMs(): number {
    return this.#deps.leases.timer.monotonicMs()
  }
}

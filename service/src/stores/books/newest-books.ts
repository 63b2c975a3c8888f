import { RowReader } from '../../domain/rows/row-binary.ts'
import { readSnapshot, SNAPSHOT_FLAGS, type Snapshot } from '../../domain/rows/snapshot.ts'
import { RedisUnavailable } from '../engines/redis-connection.ts'
import type { NewestRows } from './newest-rows.ts'

interface Kept {
  /** Of the newest row, which may be crossed and so not the one that is shown. */
  readonly newestSlot: number
  readonly snapshot: Snapshot | undefined
  readonly nextSlotAtMs: number
  /** When Redis last said that this is the newest. */
  readonly readAtMs: number
}

const MOST_MARKETS = 2_000
const SERVED_WITHOUT_REDIS_MS = 2_000
/** A row that is due is asked for so often until it is there. */
const ASKED_AGAIN_AFTER_MS = 10

/**
 * The book to show of each market, decoded once for each slot: as long as a market has no newer row, the very same
 * object comes back, so that what is made of it can be kept beside it. For two seconds it does without Redis.
 */
export class NewestBooks {
  readonly #latest: Pick<NewestRows, 'newestBytes' | 'read'>
  /** The longest unasked first. */
  readonly #kept = new Map<string, Kept>()
  readonly #asked = new Map<string, Promise<Snapshot | undefined>>()

  constructor(latest: Pick<NewestRows, 'newestBytes' | 'read'>) {
    this.#latest = latest
  }

  /** The newest that is not crossed; undefined for a market that was not seen lately. */
  async read(marketId: string, nowMs: number): Promise<Snapshot | undefined> {
    const kept = this.#kept.get(marketId)
    if (kept !== undefined && nowMs < Math.max(kept.nextSlotAtMs, kept.readAtMs + ASKED_AGAIN_AFTER_MS)) {
      return kept.snapshot
    }
    try {
      return await this.#readOnce(marketId, nowMs, kept)
    } catch (error) {
      const isRecent = kept !== undefined && nowMs - kept.readAtMs <= SERVED_WITHOUT_REDIS_MS
      if (isRecent && error instanceof RedisUnavailable) return kept.snapshot
      throw error
    }
  }

  /** Whoever asks for the same market meanwhile gets the same answer. */
  #readOnce(marketId: string, nowMs: number, kept: Kept | undefined): Promise<Snapshot | undefined> {
    const asked = this.#asked.get(marketId)
    if (asked !== undefined) return asked
    const reading = this.#readAgain(marketId, nowMs, kept).finally(() => this.#asked.delete(marketId))
    this.#asked.set(marketId, reading)
    return reading
  }

  async #readAgain(marketId: string, nowMs: number, kept: Kept | undefined): Promise<Snapshot | undefined> {
    const newest = await this.#latest.newestBytes(marketId)
    if (newest === undefined) {
      this.#kept.delete(marketId)
      return undefined
    }
    if (newest.slot === kept?.newestSlot) {
      this.#keep(marketId, { ...kept, readAtMs: nowMs })
      return kept.snapshot
    }
    const row = readSnapshot(new RowReader(newest.bytes))
    const snapshot = isCrossed(row) ? (await this.#latest.read(marketId)).find((each) => !isCrossed(each)) : row
    const nextSlotAtMs = (row.slot + 1) * row.intervalMs
    this.#keep(marketId, { newestSlot: row.slot, snapshot, nextSlotAtMs, readAtMs: nowMs })
    return snapshot
  }

  #keep(marketId: string, kept: Kept): void {
    this.#kept.delete(marketId)
    this.#kept.set(marketId, kept)
    if (this.#kept.size <= MOST_MARKETS) return
    const [longestUnasked] = this.#kept.keys()
    if (longestUnasked !== undefined) this.#kept.delete(longestUnasked)
  }
}

function isCrossed({ flags }: Snapshot): boolean {
  return (flags & SNAPSHOT_FLAGS.crossed) !== 0
}

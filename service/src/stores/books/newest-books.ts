import { SNAPSHOT_FLAGS, type Snapshot, snapshotSchema } from '../../domain/rows/snapshot.ts'
import { RedisUnavailable } from '../engines/redis-connection.ts'
import { decode, type NewestRows } from './newest-rows.ts'

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
/** How often Redis is asked for a row that is due. */
const ASKED_AGAIN_AFTER_MS = 10

/**
 * The book to show of each market, decoded once per slot: until a newer row exists the same object is returned, so
 * callers can cache what they make of it. When Redis is away, a book is served for up to two seconds more.
 */
export class NewestBooks {
  readonly #newestRows: Pick<NewestRows, 'newestRow' | 'read'>
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>()
  readonly #asked = new Map<string, Promise<Snapshot | undefined>>()

  constructor(newestRows: Pick<NewestRows, 'newestRow' | 'read'>) {
    this.#newestRows = newestRows
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

  /** Concurrent reads of one market share one request. */
  #readOnce(marketId: string, nowMs: number, kept: Kept | undefined): Promise<Snapshot | undefined> {
    const asked = this.#asked.get(marketId)
    if (asked !== undefined) return asked
    const reading = this.#readAgain(marketId, nowMs, kept).finally(() => this.#asked.delete(marketId))
    this.#asked.set(marketId, reading)
    return reading
  }

  async #readAgain(marketId: string, nowMs: number, kept: Kept | undefined): Promise<Snapshot | undefined> {
    const newest = await this.#newestRows.newestRow(marketId)
    if (newest === undefined) {
      this.#kept.delete(marketId)
      return undefined
    }
    if (newest.slot === kept?.newestSlot) {
      this.#keep(marketId, { ...kept, readAtMs: nowMs })
      return kept.snapshot
    }
    const row = decode(snapshotSchema, newest)
    const snapshot = isCrossed(row) ? (await this.#newestRows.read(marketId)).find((each) => !isCrossed(each)) : row
    const nextSlotAtMs = (row.slot + 1) * row.intervalMs
    this.#keep(marketId, { newestSlot: row.slot, snapshot, nextSlotAtMs, readAtMs: nowMs })
    return snapshot
  }

  #keep(marketId: string, kept: Kept): void {
    this.#kept.delete(marketId)
    this.#kept.set(marketId, kept)
    if (this.#kept.size <= MOST_MARKETS) return
    const [leastRecentlyUsed] = this.#kept.keys()
    if (leastRecentlyUsed !== undefined) this.#kept.delete(leastRecentlyUsed)
  }
}

function isCrossed({ flags }: Snapshot): boolean {
  return (flags & SNAPSHOT_FLAGS.crossed) !== 0
}

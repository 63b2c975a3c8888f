import { SNAPSHOT_FLAGS, type Snapshot, snapshotSchema } from '../../domain/rows/snapshot.ts'
import { RedisUnavailable } from '../engines/redis-connection.ts'
import { decode, type NewestRows } from './newest-rows.ts'
import type { SlottedRow } from './redis-newest-rows.ts'

interface CachedBook {
  /** Slot of the newest row; a crossed row is not shown. */
  readonly newestSlot: number
  readonly snapshot: Snapshot | undefined
  readonly nextSlotAtMs: number
  /** When Redis was last read. */
  readonly readAtMs: number
}

const MAX_MARKETS = 2_000
const SERVED_WITHOUT_REDIS_MS = 2_000
/** How often Redis is read while the row of the next slot is due. */
const REREAD_AFTER_MS = 10

/**
 * The book to show of each market, decoded once per slot: until a newer row exists the same object is returned, so
 * callers can cache what they make of it. When Redis is away, a book is served for up to two seconds more.
 */
export class NewestBooks {
  readonly #newestRows: Pick<NewestRows, 'newestRow' | 'newestRowsOf' | 'read'>
  /** Least recently used first. */
  readonly #cache = new Map<string, CachedBook>()
  readonly #reading = new Map<string, Promise<Snapshot | undefined>>()

  constructor(newestRows: Pick<NewestRows, 'newestRow' | 'newestRowsOf' | 'read'>) {
    this.#newestRows = newestRows
  }

  /** The newest that is not crossed; undefined for a market that was not seen lately. */
  async read(marketId: string, nowMs: number): Promise<Snapshot | undefined> {
    const cached = this.#cache.get(marketId)
    if (isCurrent(cached, nowMs)) return cached.snapshot
    try {
      return await this.#readOnce(marketId, nowMs, cached)
    } catch (error) {
      return servedWithoutRedis(cached, nowMs, error)
    }
  }

  /** The same for many markets with one request, in their order. */
  async readMany(marketIds: readonly string[], nowMs: number): Promise<PromiseSettledResult<Snapshot | undefined>[]> {
    const due = marketIds.filter((id) => !isCurrent(this.#cache.get(id), nowMs))
    const rows = due.length === 0 ? undefined : await this.#newestRows.newestRowsOf(due)
    return Promise.allSettled(
      marketIds.map(async (id) => {
        const cached = this.#cache.get(id)
        const row = rows?.get(id)
        if (row === undefined) return cached?.snapshot
        try {
          if (row.status === 'rejected') throw row.reason
          return await this.#take(id, nowMs, cached, row.value)
        } catch (error) {
          return servedWithoutRedis(cached, nowMs, error)
        }
      }),
    )
  }

  /** Concurrent reads of one market share one request. */
  #readOnce(marketId: string, nowMs: number, cached: CachedBook | undefined): Promise<Snapshot | undefined> {
    const current = this.#reading.get(marketId)
    if (current !== undefined) return current
    const reading = this.#readAgain(marketId, nowMs, cached).finally(() => this.#reading.delete(marketId))
    this.#reading.set(marketId, reading)
    return reading
  }

  async #readAgain(marketId: string, nowMs: number, cached: CachedBook | undefined): Promise<Snapshot | undefined> {
    return this.#take(marketId, nowMs, cached, await this.#newestRows.newestRow(marketId))
  }

  async #take(
    marketId: string,
    nowMs: number,
    cached: CachedBook | undefined,
    newest: SlottedRow | undefined,
  ): Promise<Snapshot | undefined> {
    if (newest === undefined) {
      this.#cache.delete(marketId)
      return undefined
    }
    if (newest.slot === cached?.newestSlot) {
      this.#keep(marketId, { ...cached, readAtMs: nowMs })
      return cached.snapshot
    }
    const row = decode(snapshotSchema, newest)
    const snapshot = isCrossed(row) ? (await this.#newestRows.read(marketId)).find((each) => !isCrossed(each)) : row
    const nextSlotAtMs = (row.slot + 1) * row.intervalMs
    this.#keep(marketId, { newestSlot: row.slot, snapshot, nextSlotAtMs, readAtMs: nowMs })
    return snapshot
  }

  #keep(marketId: string, cached: CachedBook): void {
    this.#cache.delete(marketId)
    this.#cache.set(marketId, cached)
    if (this.#cache.size <= MAX_MARKETS) return
    const [leastRecentlyUsed] = this.#cache.keys()
    if (leastRecentlyUsed !== undefined) this.#cache.delete(leastRecentlyUsed)
  }
}

function isCurrent(cached: CachedBook | undefined, nowMs: number): cached is CachedBook {
  return cached !== undefined && nowMs < Math.max(cached.nextSlotAtMs, cached.readAtMs + REREAD_AFTER_MS)
}

function servedWithoutRedis(cached: CachedBook | undefined, nowMs: number, error: unknown): Snapshot | undefined {
  const isRecent = cached !== undefined && nowMs - cached.readAtMs <= SERVED_WITHOUT_REDIS_MS
  if (isRecent && error instanceof RedisUnavailable) return cached.snapshot
  throw error
}

function isCrossed({ flags }: Snapshot): boolean {
  return (flags & SNAPSHOT_FLAGS.crossed) !== 0
}

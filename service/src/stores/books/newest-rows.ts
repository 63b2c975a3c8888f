import { RESP_TYPES } from '@redis/client'
import { type PerpSnapshot, readPerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import { RowReader } from '../../domain/rows/row-binary.ts'
import { readSnapshot, type Snapshot } from '../../domain/rows/snapshot.ts'
import type { RedisClient, RedisConnection } from '../engines/redis-connection.ts'
import { putNewestRows } from './redis-newest-rows.ts'

/** One row as it was sampled, in the bytes of `writeSnapshot`. */
export interface NewestRow {
  readonly marketId: string
  readonly slot: number
  readonly bytes: Uint8Array
}

/** One row in the bytes of `writePerpSnapshot`. */
export interface NewestPerpRow {
  readonly venue: string
  readonly symbol: string
  readonly slot: number
  readonly bytes: Uint8Array
}

export interface RecentMarket {
  readonly marketId: string
  /** The instant of its newest slot. */
  readonly slotAtMs: number
}

/** How many rows of a market are kept. */
export const NEWEST_ROWS = 5

/** Much longer than a book is served, short enough that yesterday's markets take no memory. */
const EXPIRE_AFTER_MS = 600_000
const SLOT_OFFSET = 32
const SLOT_TIME_OFFSET = 40
const SEEN_KEY = 'latest:seen'
const AS_BYTES = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } }

/**
 * The present: the newest rows of every market, and of every perp the newest, as row bytes in Redis. All of
 * it comes again within seconds when it is lost. Every call throws `RedisUnavailable` rather than wait.
 */
export class NewestRows {
  readonly #redis: RedisConnection
  readonly #expireAfterMs: number

  constructor(redis: RedisConnection, options: { expireAfterMs?: number } = {}) {
    this.#redis = redis
    this.#expireAfterMs = options.expireAfterMs ?? EXPIRE_AFTER_MS
  }

  /** In any order and as often as one likes: a row never displaces a newer one, and a slot is kept once. */
  async put(rows: readonly NewestRow[]): Promise<void> {
    if (rows.length === 0) return
    const keyed = rows.map(({ marketId, bytes }) => ({ key: marketKey(marketId), bytes }))
    const rules = { keep: NEWEST_ROWS, expireAfterMs: this.#expireAfterMs, slotOffset: SLOT_OFFSET }
    await this.#redis.ask((client) =>
      Promise.all([putNewestRows(client, keyed, rules), noteSeen(client, rows, this.#expireAfterMs)]),
    )
  }

  async putPerps(rows: readonly NewestPerpRow[]): Promise<void> {
    if (rows.length === 0) return
    const byOffset = Map.groupBy(rows, perpSlotOffset)
    await this.#redis.ask((client) =>
      Promise.all(
        [...byOffset].map(([slotOffset, group]) => {
          const keyed = group.map(({ venue, symbol, bytes }) => ({ key: perpKey(venue, symbol), bytes }))
          return putNewestRows(client, keyed, { keep: 1, expireAfterMs: this.#expireAfterMs, slotOffset })
        }),
      ),
    )
  }

  /** Newest first; empty for a market that was not seen lately. */
  async read(marketId: string): Promise<Snapshot[]> {
    const rows = await this.#redis.ask((client) => listOf(client, marketKey(marketId), NEWEST_ROWS))
    return rows.map((bytes) => readSnapshot(new RowReader(bytes)))
  }

  /** The newest row undecoded, for whoever may have decoded that slot before. */
  async newestBytes(marketId: string): Promise<NewestRow | undefined> {
    const [bytes] = await this.#redis.ask((client) => listOf(client, marketKey(marketId), 1))
    return bytes && { marketId, slot: new RowReader(bytes, SLOT_OFFSET).uint64(), bytes }
  }

  /** Only the markets that have rows; one row each unless more are asked for. */
  async readMany(marketIds: readonly string[], rowsEach = 1): Promise<Map<string, Snapshot[]>> {
    const lists = await this.#redis.ask((client) =>
      Promise.all(marketIds.map((marketId) => listOf(client, marketKey(marketId), rowsEach))),
    )
    const found = new Map<string, Snapshot[]>()
    for (const [index, marketId] of marketIds.entries()) {
      const rows = lists[index] ?? []
      if (rows.length > 0)
        found.set(
          marketId,
          rows.map((bytes) => readSnapshot(new RowReader(bytes))),
        )
    }
    return found
  }

  async readPerp(venue: string, symbol: string): Promise<PerpSnapshot | undefined> {
    const [bytes] = await this.#redis.ask((client) => listOf(client, perpKey(venue, symbol), 1))
    return bytes && readPerpSnapshot(new RowReader(bytes))
  }

  /** The markets whose newest rows are the newest of all. */
  async recent(limit: number): Promise<RecentMarket[]> {
    const members = await this.#redis.ask((client) => client.zRangeWithScores(SEEN_KEY, 0, limit - 1, { REV: true }))
    return members.map(({ value, score }) => ({ marketId: value, slotAtMs: score }))
  }
}

/** One command for the whole batch, and one that forgets the markets that are gone. */
async function noteSeen(client: RedisClient, rows: readonly NewestRow[], expireAfterMs: number): Promise<void> {
  const seen = rows.map(({ marketId, bytes }) => ({
    value: marketId,
    score: new RowReader(bytes, SLOT_TIME_OFFSET).uint64(),
  }))
  const newestMs = seen.reduce((most, { score }) => Math.max(most, score), 0)
  await Promise.all([
    client.zAdd(SEEN_KEY, seen, { comparison: 'GT' }),
    client.zRemRangeByScore(SEEN_KEY, '-inf', newestMs - expireAfterMs),
  ])
}

async function listOf(client: RedisClient, key: string, count: number): Promise<Buffer[]> {
  return client.sendCommand<Buffer[]>(['LRANGE', key, '0', String(count - 1)], AS_BYTES)
}

function marketKey(marketId: string): string {
  return `latest:${marketId}`
}

function perpKey(venue: string, symbol: string): string {
  return `latest:perp:${venue}:${symbol}`
}

/** Behind the two texts, each with its length before it. */
function perpSlotOffset({ bytes }: NewestPerpRow): number {
  const reader = new RowReader(bytes)
  reader.string()
  reader.string()
  return reader.position
}

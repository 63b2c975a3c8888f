import { RESP_TYPES } from '@redis/client'
import { type PerpSnapshot, perpSnapshotSchema } from '../../domain/rows/perp-snapshot.ts'
import { RowReader } from '../../domain/rows/row-binary.ts'
import type { RowSchema } from '../../domain/rows/row-schema.ts'
import { type Snapshot, snapshotSchema } from '../../domain/rows/snapshot.ts'
import { inOneSlot, type RedisClient, sendFor } from '../engines/redis-client.ts'
import { type RedisConnection, RedisUnavailable } from '../engines/redis-connection.ts'
import { putNewestRows, type SlottedRow, slottedRow } from './redis-newest-rows.ts'

/** One row as it was sampled, in the bytes of its schema. */
export interface NewestRow extends SlottedRow {
  readonly marketId: string
}

export interface NewestPerpRow extends SlottedRow {
  readonly venue: string
  readonly symbol: string
}

export interface RecentMarket {
  readonly marketId: string
  /** The instant of its newest slot. */
  readonly slotAtMs: number
}

interface Seen {
  readonly value: string
  readonly score: number
}

/** How many rows of a market are kept. */
export const NEWEST_ROWS = 5

/** Much longer than a book is served, and short enough to free the memory of ended markets. */
const EXPIRE_AFTER_MS = 600_000
/** How often the markets that are gone are removed from the list of seen markets. */
const FORGET_EVERY_MS = 1_000
const SLOT_TIME_OFFSET = snapshotSchema.offsetOf('slot_at')
/** Markets with the same hash tag are written together, and more tags spread better over a cluster. */
const MARKET_TAGS = 64
const SEEN_KEYS = Array.from({ length: 4 }, (_, index) => `newest:seen:{${index}}`)
const AS_BYTES = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } }

/**
 * The newest rows of every market and the newest row of every perp, in Redis; the hot role restores them within
 * seconds when they are lost. Methods throw `RedisUnavailable` instead of waiting for Redis, also when the rows were
 * written by a newer version.
 */
export class NewestRows {
  readonly #redis: RedisConnection
  readonly #expireAfterMs: number
  #forgetAtMs = 0

  constructor(redis: RedisConnection, options: { expireAfterMs?: number } = {}) {
    this.#redis = redis
    this.#expireAfterMs = options.expireAfterMs ?? EXPIRE_AFTER_MS
  }

  /** Order and repeats don't matter: a row never replaces a newer one, and a slot is kept once. */
  async put(rows: readonly NewestRow[]): Promise<void> {
    if (rows.length === 0) return
    const keyed = rows.map((row) => ({ key: marketKey(row.marketId), row }))
    const rules = { keep: NEWEST_ROWS, expireAfterMs: this.#expireAfterMs }
    await this.#redis.ask((client) =>
      Promise.all([putNewestRows(client, keyed, rules), this.#noteSeen(client, rows.map(seenOf))]),
    )
  }

  async putPerps(rows: readonly NewestPerpRow[]): Promise<void> {
    if (rows.length === 0) return
    const keyed = rows.map((row) => ({ key: perpKey(row.venue, row.symbol), row }))
    await this.#redis.ask((client) => putNewestRows(client, keyed, { keep: 1, expireAfterMs: this.#expireAfterMs }))
  }

  /** Newest first; empty for a market that was not seen lately. */
  async read(marketId: string): Promise<Snapshot[]> {
    const rows = await this.#redis.ask((client) => listOf(client, marketKey(marketId), NEWEST_ROWS))
    return rows.map((bytes) => decode(snapshotSchema, slottedRow(bytes)))
  }

  /** The newest row undecoded, for a reader that may have decoded that slot before. */
  async newestRow(marketId: string): Promise<SlottedRow | undefined> {
    const [bytes] = await this.#redis.ask((client) => listOf(client, marketKey(marketId), 1))
    return bytes && slottedRow(bytes)
  }

  /** The newest row of each market. Markets of one hash slot are read or fail together: a part of a cluster may be away. */
  async newestRowsOf(marketIds: readonly string[]): Promise<Map<string, PromiseSettledResult<SlottedRow | undefined>>> {
    const groups = inOneSlot(this.#redis.isCluster, marketIds, marketKey)
    const read = await Promise.all(groups.map((ids) => this.#newestOfGroup(ids)))
    return new Map(read.flat())
  }

  async #newestOfGroup(ids: readonly string[]): Promise<[string, PromiseSettledResult<SlottedRow | undefined>][]> {
    try {
      const lists = await this.#redis.ask((client) => Promise.all(ids.map((id) => listOf(client, marketKey(id), 1))))
      return ids.map((id, index) => {
        const [bytes] = lists[index] ?? []
        return [id, { status: 'fulfilled', value: bytes && slottedRow(bytes) }]
      })
    } catch (reason) {
      return ids.map((id) => [id, { status: 'rejected', reason }])
    }
  }

  /** Only the markets that have rows; one row each unless more are requested. */
  async readMany(marketIds: readonly string[], rowsEach = 1): Promise<Map<string, Snapshot[]>> {
    const lists = await this.#redis.ask((client) =>
      Promise.all(marketIds.map((marketId) => listOf(client, marketKey(marketId), rowsEach))),
    )
    const found = new Map<string, Snapshot[]>()
    for (const [index, marketId] of marketIds.entries()) {
      const rows = (lists[index] ?? []).map((bytes) => decode(snapshotSchema, slottedRow(bytes)))
      if (rows.length > 0) found.set(marketId, rows)
    }
    return found
  }

  async readPerp(venue: string, symbol: string): Promise<PerpSnapshot | undefined> {
    const [bytes] = await this.#redis.ask((client) => listOf(client, perpKey(venue, symbol), 1))
    return bytes && decode(perpSnapshotSchema, slottedRow(bytes))
  }

  /** The markets whose newest rows are the newest of all. */
  async recent(limit: number): Promise<RecentMarket[]> {
    const lists = await this.#redis.ask((client) =>
      Promise.all(SEEN_KEYS.map((key) => client.zRangeWithScores(key, 0, limit - 1, { REV: true }))),
    )
    const members = lists.flat().sort((a, b) => b.score - a.score)
    return members.slice(0, limit).map(({ value, score }) => ({ marketId: value, slotAtMs: score }))
  }

  async #noteSeen(client: RedisClient, seen: readonly Seen[]): Promise<void> {
    const byKey = Map.groupBy(seen, ({ value }) => seenKey(value))
    await Promise.all([...byKey].map(([key, members]) => client.zAdd(key, members, { comparison: 'GT' })))
    if (performance.now() < this.#forgetAtMs) return
    this.#forgetAtMs = performance.now() + FORGET_EVERY_MS
    const goneAtMs = seen.reduce((most, { score }) => Math.max(most, score), 0) - this.#expireAfterMs
    await Promise.all(SEEN_KEYS.map((key) => client.zRemRangeByScore(key, '-inf', goneAtMs)))
  }
}

/** A row of a newer schema can't be read, so this node behaves as if Redis were away until it is upgraded. */
export function decode<Row>(schema: RowSchema<Row>, row: SlottedRow): Row {
  if (schema.columnsOf(row.schema) === undefined)
    throw new RedisUnavailable(`newest rows have schema ${row.schema}; this process reads up to ${schema.current}`)
  return schema.read(new RowReader(row.bytes), row.schema)
}

function seenOf({ marketId, bytes }: NewestRow): Seen {
  return { value: marketId, score: new RowReader(bytes, SLOT_TIME_OFFSET).uint64() }
}

async function listOf(client: RedisClient, key: string, count: number): Promise<Buffer[]> {
  return sendFor<Buffer[]>(client, key, ['LRANGE', key, '0', String(count - 1)], AS_BYTES)
}

export function marketKey(marketId: string): string {
  return `newest:{${tagOf(marketId)}}:${marketId}`
}

function seenKey(marketId: string): string {
  return SEEN_KEYS[tagOf(marketId) % SEEN_KEYS.length] ?? ''
}

/** Market ids are hashes, so their first digits are as good as random: 0x, then 64 digits. */
function tagOf(marketId: string): number {
  return Number.parseInt(marketId.slice(2, 4), 16) % MARKET_TAGS
}

function perpKey(venue: string, symbol: string): string {
  return `newest:perp:{${venue}:${symbol}}`
}

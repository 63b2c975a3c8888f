import { buffer } from 'node:stream/consumers'
import { SNAPSHOT_COLUMNS } from '../../domain/rows/snapshot.ts'
import { SnapshotRows } from '../../domain/rows/snapshot-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, MARKET_PARAM, marketParam, readRows } from './read-rows.ts'
import { type UnfoldedPage, unfolded, unfoldedParams } from './unfolded-snapshots.ts'

/** Slots of one market, both ends included, and of these only what was captured in time; the end of that not included. */
export interface SlotRange {
  readonly marketId: string
  readonly intervalMs: number
  readonly fromSlot: number
  readonly toSlot: number
  readonly fromMs: number
  readonly toMs: number
}

export type Order = 'asc' | 'desc'

export interface RowPage {
  readonly order: Order
  /** Rows, of which each holds both tokens. */
  readonly limit: number
  /** Without it, only the best five levels of each side. */
  readonly includeBook: boolean
}

export interface RowCount {
  readonly rowCount: number
  readonly firstSlot?: number
  readonly lastSlot?: number
}

const WHOLE = columnList(SNAPSHOT_COLUMNS)
const BEST_FIVE = SNAPSHOT_COLUMNS.map(([name, type]) =>
  type.startsWith('Array') ? `arraySlice(${name}, 1, 5)` : name,
).join(', ')

/** Slots are what the key finds rows by, their times keep other days closed, the time of capture is what was asked for. */
const IN_RANGE = `market_id = ${MARKET_PARAM}
  AND slot >= {fromSlot:UInt64} AND slot <= {toSlot:UInt64}
  AND slot_at >= ${atParam('fromSlotMs')} AND slot_at <= ${atParam('toSlotMs')}
  AND captured_at >= ${atParam('fromMs')} AND captured_at < ${atParam('toMs')}`

/** A page is bounded on both sides so closely that few rows are read in vain; whoever wants more widens the bounds. */
export function snapshotPageStore(client: ClickHouseReads) {
  return {
    /** One row per slot, however often it was inserted. */
    async rows(range: SlotRange, { order, limit, includeBook }: RowPage, signal?: AbortSignal): Promise<SnapshotRows> {
      const { stream } = await client.exec({
        query: `SELECT ${includeBook ? WHOLE : BEST_FIVE} FROM snapshots WHERE ${IN_RANGE}
          ORDER BY slot ${directionOf(order)} LIMIT 1 BY slot LIMIT {limit:UInt32} FORMAT RowBinary`,
        query_params: { ...rangeParams(range), limit },
        clickhouse_settings: SETTINGS,
        ...(signal && { abort_signal: signal }),
      })
      return new SnapshotRows(await buffer(stream))
    },

    /** The first slot that has a row, seen in that order; undefined when there is none. */
    async edge(range: SlotRange, order: Order): Promise<number | undefined> {
      const { firstSlot, lastSlot } = await this.count(range)
      return order === 'asc' ? firstSlot : lastSlot
    },

    async count(range: SlotRange): Promise<RowCount> {
      const [found] = await readRows(
        client,
        (reader) => ({ rowCount: reader.uint64(), firstSlot: reader.uint64(), lastSlot: reader.uint64() }),
        {
          sql: `SELECT uniqExact(slot), min(slot), max(slot) FROM snapshots WHERE ${IN_RANGE}`,
          params: rangeParams(range),
        },
      )
      return found === undefined || found.rowCount === 0 ? { rowCount: 0 } : found
    },

    /** The same page as Parquet: a row for each token, with everything that follows from its ladders. */
    async parquet(range: SlotRange, page: UnfoldedPage, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
      const { stream } = await client.exec({
        query: `${unfolded(IN_RANGE, page)} FORMAT Parquet`,
        query_params: { ...rangeParams(range), ...unfoldedParams(page) },
        clickhouse_settings: SETTINGS,
        ...(signal && { abort_signal: signal }),
      })
      return stream
    },
  }
}

export type SnapshotPageStore = ReturnType<typeof snapshotPageStore>

/** Neither form has a place for an error in its middle: it is told before the first byte, or not at all. */
const SETTINGS = { wait_end_of_query: 1, optimize_skip_unused_shards: 1 } as const

export function directionOf(order: Order): 'ASC' | 'DESC' {
  return order === 'asc' ? 'ASC' : 'DESC'
}

function rangeParams({ marketId, intervalMs, fromSlot, toSlot, fromMs, toMs }: SlotRange): Record<string, unknown> {
  return {
    market: marketParam(marketId),
    fromSlot,
    toSlot,
    fromSlotMs: fromSlot * intervalMs,
    toSlotMs: toSlot * intervalMs,
    fromMs,
    toMs,
  }
}

import { buffer } from 'node:stream/consumers'
import { SNAPSHOT_COLUMNS } from '../../domain/rows/snapshot.ts'
import { SnapshotRows } from '../../domain/rows/snapshot-rows.ts'
import type { SlotRange } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { columnList, marketParam, readRows } from './read-rows.ts'
import {
  CAPTURED,
  directionOf,
  OF_MARKET,
  type Order,
  type SampledMarket,
  slotParams,
  WHOLE_RESULT,
} from './slot-sql.ts'
import { type TokenRowPage, tokenRowParams, tokenRowsSql } from './token-rows-sql.ts'
import { readWidening } from './widening-read.ts'

/** Slots of a market, and of their rows those captured in the time. */
export type CaptureRange = SampledMarket & SlotRange & TimeRange

export interface RowPage {
  readonly order: Order
  /** Rows; each holds both tokens. */
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
const IN_RANGE = `${OF_MARKET} AND ${CAPTURED}`

export function snapshotPageStore(client: ClickHouseReads) {
  return {
    /** One row per slot, however often it was inserted. */
    async rows(range: CaptureRange, page: RowPage, signal?: AbortSignal): Promise<SnapshotRows> {
      const { order, limit, includeBook } = page
      const parts = await readWidening({
        range,
        order,
        limit,
        read: async (slots, missing) => {
          const { stream } = await client.exec({
            query: `SELECT ${includeBook ? WHOLE : BEST_FIVE} FROM snapshots WHERE ${IN_RANGE}
              ORDER BY slot ${directionOf(order)} LIMIT 1 BY slot LIMIT {limit:UInt32} FORMAT RowBinary`,
            query_params: { ...paramsOf({ ...range, ...slots }), limit: missing },
            clickhouse_settings: WHOLE_RESULT,
            ...(signal && { abort_signal: signal }),
          })
          return new SnapshotRows(await buffer(stream))
        },
        countOf: ({ count }) => count,
        edge: async (slots) => {
          const { firstSlot, lastSlot } = await this.count({ ...range, ...slots })
          return order === 'asc' ? firstSlot : lastSlot
        },
      })
      const [only] = parts
      return parts.length === 1 && only ? only : new SnapshotRows(Buffer.concat(parts.map(({ bytes }) => bytes)))
    },

    async count(range: CaptureRange): Promise<RowCount> {
      const [found] = await readRows(
        client,
        (reader) => ({ rowCount: reader.uint64(), firstSlot: reader.uint64(), lastSlot: reader.uint64() }),
        {
          sql: `SELECT uniqExact(slot), min(slot), max(slot) FROM snapshots WHERE ${IN_RANGE}`,
          params: paramsOf(range),
        },
      )
      return found === undefined || found.rowCount === 0 ? { rowCount: 0 } : found
    },

    /** The same page as Parquet, with one row per token. */
    async parquet(range: CaptureRange, page: TokenRowPage, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
      const { stream } = await client.exec({
        query: `${tokenRowsSql(IN_RANGE, page)} FORMAT Parquet`,
        query_params: { ...paramsOf(range), ...tokenRowParams(page) },
        clickhouse_settings: WHOLE_RESULT,
        ...(signal && { abort_signal: signal }),
      })
      return stream
    },
  }
}

export type SnapshotPageStore = ReturnType<typeof snapshotPageStore>

function paramsOf({ marketId, intervalMs, fromSlot, toSlot, fromMs, toMs }: CaptureRange): Record<string, unknown> {
  return { market: marketParam(marketId), ...slotParams({ intervalMs, fromSlot, toSlot }), fromMs, toMs }
}

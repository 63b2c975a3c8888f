import { readSnapshot, SNAPSHOT_COLUMNS, type Snapshot } from '../../domain/rows/snapshot.ts'
import { slotsCapturedIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { columnList, marketParam, readRows } from './read-rows.ts'
import {
  CAPTURED,
  directionOf,
  marketTimeParams,
  OF_MARKET,
  type Order,
  type SampledMarket,
  slotParams,
} from './slot-sql.ts'

interface WantedSnapshot {
  readonly atMs: number
  readonly withinMs: number
  readonly direction: 'nearest' | 'before'
  readonly upToSlot?: number | undefined
}

const COLUMNS = columnList(SNAPSHOT_COLUMNS)

export function snapshotStore(client: ClickHouseReads) {
  return {
    /** The rows of the slots in a range, each once, however often it was inserted. */
    range(
      range: SampledMarket & TimeRange,
      page: { readonly order: Order; readonly limit: number },
    ): Promise<Snapshot[]> {
      return readRows(client, readSnapshot, {
        sql: `SELECT ${COLUMNS} FROM snapshots WHERE ${OF_MARKET}
          ORDER BY slot ${directionOf(page.order)} LIMIT 1 BY slot LIMIT {limit:UInt32}`,
        params: { ...marketTimeParams(range), limit: page.limit },
      })
    },

    /** The newest row of a slot at or before a time, at most `withinMs` older. */
    async latestBefore(
      market: SampledMarket,
      { atMs, withinMs }: { atMs: number; withinMs: number },
    ): Promise<Snapshot | undefined> {
      const range = { ...market, fromMs: atMs - withinMs, toMs: atMs + 1 }
      const [row] = await this.range(range, { order: 'desc', limit: 1 })
      return row
    },

    /** The row captured nearest to a time, or with `before` the last one not after it. Rows after `upToSlot` are not read. */
    async nearest({ marketId, intervalMs }: SampledMarket, wanted: WantedSnapshot): Promise<Snapshot | undefined> {
      const { atMs, withinMs, direction, upToSlot = Infinity } = wanted
      const captured = { fromMs: atMs - withinMs, toMs: (direction === 'before' ? atMs : atMs + withinMs) + 1 }
      const { fromSlot, toSlot } = slotsCapturedIn(captured, intervalMs)
      const [row] = await readRows(client, readSnapshot, {
        sql: `SELECT ${COLUMNS} FROM snapshots WHERE ${OF_MARKET} AND ${CAPTURED}
          ORDER BY abs(toUnixTimestamp64Milli(captured_at) - {atMs:Int64}), slot LIMIT 1`,
        params: {
          market: marketParam(marketId),
          ...slotParams({ intervalMs, fromSlot, toSlot: Math.min(toSlot, upToSlot) }),
          ...captured,
          atMs,
        },
      })
      return row
    },
  }
}

export type SnapshotStore = ReturnType<typeof snapshotStore>

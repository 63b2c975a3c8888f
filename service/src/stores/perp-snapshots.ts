import type { ClickHouseClient } from '@clickhouse/client'
import { PERP_SNAPSHOT_COLUMNS, type PerpSnapshot, readPerpSnapshot } from '../domain/perp-snapshot.ts'
import { atParam, columnList, readRows } from './read-rows.ts'
import type { Page } from './snapshots.ts'

export interface PerpSpan {
  venue: string
  symbol: string
  intervalMs: number
  fromMs: number
  toMs: number
}

const COLUMNS = columnList(PERP_SNAPSHOT_COLUMNS)

export function perpSnapshotStore(client: ClickHouseClient) {
  return {
    /** One row per slot, however often it was inserted. */
    range({ venue, symbol, intervalMs, fromMs, toMs }: PerpSpan, page: Page): Promise<PerpSnapshot[]> {
      const after =
        page.afterSlot === undefined ? '' : `AND slot ${page.order === 'asc' ? '>' : '<'} {afterSlot:UInt64}`
      const [fromSlot, toSlot] = [Math.ceil(fromMs / intervalMs), Math.ceil(toMs / intervalMs)]
      return readRows(client, readPerpSnapshot, {
        sql: `SELECT ${COLUMNS} FROM perp_snapshots
          WHERE venue = {venue:String} AND symbol = {symbol:String}
            AND slot >= {fromSlot:UInt64} AND slot < {toSlot:UInt64}
            AND slot_at >= ${atParam('fromMs')} AND slot_at < ${atParam('toMs')} ${after}
          ORDER BY slot ${page.order === 'asc' ? 'ASC' : 'DESC'} LIMIT 1 BY slot LIMIT {limit:UInt32}`,
        params: { venue, symbol, fromSlot, toSlot, fromMs, toMs, limit: page.limit, afterSlot: page.afterSlot },
      })
    },
  }
}

export type PerpSnapshotStore = ReturnType<typeof perpSnapshotStore>

import { readSnapshot, SNAPSHOT_COLUMNS, type Snapshot } from '../../domain/rows/snapshot.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, MARKET_PARAM, marketParam, readRows } from './read-rows.ts'

/** A market and a stretch of time, the end not included. Every read has one: unbounded, it would open every day. */
export interface Span {
  marketId: string
  /** The market's own; it never changes, and turns times into slots. */
  intervalMs: number
  fromMs: number
  toMs: number
}

export interface Page {
  order: 'asc' | 'desc'
  limit: number
  /** The last slot of the page before. */
  afterSlot?: number
}

/** More than a row is ever captured after its slot. */
const LATE_MS = 5_000
const COLUMNS = columnList(SNAPSHOT_COLUMNS)

/** The slot range is what the key finds rows by, the time range is what keeps other days closed. */
export const IN_SPAN = `market_id = ${MARKET_PARAM}
  AND slot >= {fromSlot:UInt64} AND slot < {toSlot:UInt64}
  AND slot_at >= ${atParam('fromMs')} AND slot_at < ${atParam('toMs')}`

export function snapshotStore(client: ClickHouseReads) {
  return {
    /** One row per slot, however often it was inserted. */
    range(span: Span, page: Page, signal?: AbortSignal): Promise<Snapshot[]> {
      const after =
        page.afterSlot === undefined ? '' : `AND slot ${page.order === 'asc' ? '>' : '<'} {afterSlot:UInt64}`
      return readRows(client, readSnapshot, {
        sql: `SELECT ${COLUMNS} FROM snapshots WHERE ${IN_SPAN} ${after}
          ORDER BY slot ${page.order === 'asc' ? 'ASC' : 'DESC'} LIMIT 1 BY slot LIMIT {limit:UInt32}`,
        params: { ...spanParams(span), limit: page.limit, afterSlot: page.afterSlot },
        ...(signal && { signal }),
      })
    },

    /** The newest row of a slot at or before that moment, looking back no further than `withinMs`. */
    async latestBefore(
      { marketId, intervalMs }: Pick<Span, 'marketId' | 'intervalMs'>,
      { atMs, withinMs }: { atMs: number; withinMs: number },
    ): Promise<Snapshot | undefined> {
      const span = { marketId, intervalMs, fromMs: atMs - withinMs, toMs: atMs + 1 }
      const [row] = await this.range(span, { order: 'desc', limit: 1 })
      return row
    },

    /** The row captured nearest to that moment, or with `before` the last one not after it. */
    async nearest(
      { marketId, intervalMs }: Pick<Span, 'marketId' | 'intervalMs'>,
      { atMs, withinMs, direction }: { atMs: number; withinMs: number; direction: 'nearest' | 'before' },
    ): Promise<Snapshot | undefined> {
      const span = { marketId, intervalMs, fromMs: atMs - withinMs - LATE_MS, toMs: atMs + withinMs + 1 }
      const [row] = await readRows(client, readSnapshot, {
        sql: `SELECT ${COLUMNS} FROM snapshots WHERE ${IN_SPAN}
          AND captured_at >= ${atParam('sinceMs')} AND captured_at <= ${atParam('untilMs')}
          ORDER BY abs(toUnixTimestamp64Milli(captured_at) - {atMs:Int64}), slot LIMIT 1`,
        params: {
          ...spanParams(span),
          atMs,
          sinceMs: atMs - withinMs,
          untilMs: direction === 'before' ? atMs : atMs + withinMs,
        },
      })
      return row
    },
  }
}

export type SnapshotStore = ReturnType<typeof snapshotStore>

export function spanParams({ marketId, intervalMs, fromMs, toMs }: Span) {
  const [fromSlot, toSlot] = [Math.ceil(fromMs / intervalMs), Math.ceil(toMs / intervalMs)]
  return { market: marketParam(marketId), fromSlot, toSlot, fromMs, toMs }
}

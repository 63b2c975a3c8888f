import { PERP_SNAPSHOT_COLUMNS, type PerpSnapshot, readPerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
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

/** More than a row is ever captured after its slot. */
const LATE_MS = 5_000
const SLOTS_AT_LEAST = 64
const WIDER_EACH_TIME = 8

/** Both ends included. */
interface Slots {
  readonly fromSlot: number
  readonly toSlot: number
}

const CAPTURED = `venue = {venue:String} AND symbol = {symbol:String}
  AND slot >= {fromSlot:UInt64} AND slot <= {toSlot:UInt64}
  AND slot_at >= ${atParam('fromSlotMs')} AND slot_at <= ${atParam('toSlotMs')}
  AND captured_at >= ${atParam('fromMs')} AND captured_at < ${atParam('toMs')}`

function capturedParams({ venue, symbol, intervalMs, fromMs, toMs }: PerpSpan, { fromSlot, toSlot }: Slots) {
  return {
    venue,
    symbol,
    fromSlot,
    toSlot,
    fromSlotMs: fromSlot * intervalMs,
    toSlotMs: toSlot * intervalMs,
    fromMs,
    toMs,
  }
}

export function perpSnapshotStore(client: ClickHouseReads) {
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

    /**
     * By the time of capture, which lies shortly after a row's slot. A narrow piece is read first; what it lacks is
     * behind a hole, so the next piece begins at the next row there is.
     */
    async captured(span: PerpSpan, { order, limit, afterSlot }: Page, signal?: AbortSignal): Promise<PerpSnapshot[]> {
      const { intervalMs, fromMs, toMs } = span
      let fromSlot = Math.floor(Math.max(fromMs - LATE_MS, 0) / intervalMs)
      let toSlot = Math.ceil(toMs / intervalMs)
      if (afterSlot !== undefined && order === 'asc') fromSlot = Math.max(fromSlot, afterSlot + 1)
      if (afterSlot !== undefined && order === 'desc') toSlot = Math.min(toSlot, afterSlot - 1)
      const rows: PerpSnapshot[] = []
      for (let width = limit * 2 + SLOTS_AT_LEAST; fromSlot <= toSlot; width *= WIDER_EACH_TIME) {
        const [first, last] =
          order === 'asc'
            ? [fromSlot, Math.min(toSlot, fromSlot + width)]
            : [Math.max(fromSlot, toSlot - width), toSlot]
        rows.push(
          ...(await piece(span, { fromSlot: first, toSlot: last }, { order, limit: limit - rows.length }, signal)),
        )
        if (rows.length >= limit) break
        if (order === 'asc') fromSlot = last + 1
        else toSlot = first - 1
        if (fromSlot > toSlot) break
        const edge = await edgeOf(span, { fromSlot, toSlot }, order)
        if (edge === undefined) break
        if (order === 'asc') fromSlot = edge
        else toSlot = edge
      }
      return rows
    },
  }

  function piece(span: PerpSpan, slots: Slots, { order, limit }: Page, signal?: AbortSignal): Promise<PerpSnapshot[]> {
    return readRows(client, readPerpSnapshot, {
      sql: `SELECT ${COLUMNS} FROM perp_snapshots WHERE ${CAPTURED}
        ORDER BY slot ${order === 'asc' ? 'ASC' : 'DESC'} LIMIT 1 BY slot LIMIT {limit:UInt32}`,
      params: { ...capturedParams(span, slots), limit },
      ...(signal && { signal }),
    })
  }

  /** The first slot that has a row, seen in that order. */
  async function edgeOf(span: PerpSpan, slots: Slots, order: Page['order']): Promise<number | undefined> {
    const [found] = await readRows(client, (reader) => ({ count: reader.uint64(), slot: reader.uint64() }), {
      sql: `SELECT count(), ${order === 'asc' ? 'min' : 'max'}(slot) FROM perp_snapshots WHERE ${CAPTURED}`,
      params: capturedParams(span, slots),
    })
    return found === undefined || found.count === 0 ? undefined : found.slot
  }
}

export type PerpSnapshotStore = ReturnType<typeof perpSnapshotStore>

import { PERP_SNAPSHOT_COLUMNS, type PerpSnapshot, readPerpSnapshot } from '../../domain/rows/perp-snapshot.ts'
import { type SlotRange, slotsCapturedIn, slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { columnList, readRows } from './read-rows.ts'
import { CAPTURED, directionOf, OF_PERP, type Order, type SampledPerp, slotParams } from './slot-sql.ts'
import { readWidening } from './widening-read.ts'

export interface PerpRowsPage {
  readonly order: Order
  readonly limit: number
  /** The last slot of the previous page. */
  readonly afterSlot?: number | undefined
  /** Later rows are not read. */
  readonly upToSlot?: number | undefined
}

/** Slots with a row in an hour or a day, from the first to the last of them. */
export interface PerpPart extends SlotRange {
  readonly startMs: number
  readonly stored: number
}

const COLUMNS = columnList(PERP_SNAPSHOT_COLUMNS)

export function perpSnapshotStore(client: ClickHouseReads) {
  return {
    /** The rows of the slots in a range, each once, however often it was inserted. */
    range({ venue, symbol, intervalMs, fromMs, toMs }: SampledPerp & TimeRange, { order, limit }: PerpRowsPage) {
      return readRows(client, readPerpSnapshot, {
        sql: `SELECT ${COLUMNS} FROM perp_snapshots WHERE ${OF_PERP}
          ORDER BY slot ${directionOf(order)} LIMIT 1 BY slot LIMIT {limit:UInt32}`,
        params: { venue, symbol, ...slotParams({ intervalMs, ...slotsIn({ fromMs, toMs }, intervalMs) }), limit },
      })
    },

    /** How many slots have a row; reads no book. */
    async count({ venue, symbol, intervalMs, fromSlot, toSlot }: SampledPerp & SlotRange): Promise<number> {
      const [found] = await readRows(client, (reader) => reader.uint64(), {
        sql: `SELECT uniqExact(slot) FROM perp_snapshots WHERE ${OF_PERP}`,
        params: { venue, symbol, ...slotParams({ intervalMs, fromSlot, toSlot }) },
      })
      return found ?? 0
    },

    /** Rows by the start of their hour or day; those without a row are left out. */
    countByPart(
      { venue, symbol, intervalMs, fromMs, toMs }: SampledPerp & TimeRange,
      partMs: number,
      signal?: AbortSignal,
    ): Promise<PerpPart[]> {
      return readRows(
        client,
        (reader) => ({
          startMs: reader.uint64(),
          stored: reader.uint64(),
          fromSlot: reader.uint64(),
          toSlot: reader.uint64(),
        }),
        {
          // A bitmap counts a row that was inserted twice once, and is faster than a set.
          sql: `SELECT intDiv(slot * {intervalMs:UInt32}, {partMs:UInt32}) * {partMs:UInt32} AS start,
              toUInt64(groupBitmap(toUInt32(slot - {fromSlot:UInt64}))), min(slot), max(slot)
            FROM perp_snapshots WHERE ${OF_PERP} GROUP BY start ORDER BY start`,
          params: {
            venue,
            symbol,
            intervalMs,
            partMs,
            ...slotParams({ intervalMs, ...slotsIn({ fromMs, toMs }, intervalMs) }),
          },
          ...(signal && { signal }),
        },
      )
    },

    /** When the first book was sampled; undefined when the perp was never recorded. */
    async recordedSince({ venue, symbol }: Pick<SampledPerp, 'venue' | 'symbol'>): Promise<number | undefined> {
      const [first] = await readRows(client, (reader) => reader.uint64(), {
        sql: `SELECT slot * interval_ms FROM perp_snapshots WHERE venue = {venue:String} AND symbol = {symbol:String}
          ORDER BY slot LIMIT 1`,
        params: { venue, symbol },
      })
      return first
    },

    /** The first and the last slot with a row; undefined when there is none. */
    async recordedSlots({ venue, symbol }: Pick<SampledPerp, 'venue' | 'symbol'>): Promise<SlotRange | undefined> {
      const [fromSlot, toSlot] = await Promise.all(
        (['asc', 'desc'] as const).map(async (order) => {
          const [slot] = await readRows(client, (reader) => reader.uint64(), {
            sql: `SELECT slot FROM perp_snapshots WHERE venue = {venue:String} AND symbol = {symbol:String}
              ORDER BY slot ${directionOf(order)} LIMIT 1`,
            params: { venue, symbol },
          })
          return slot
        }),
      )
      return fromSlot === undefined || toSlot === undefined ? undefined : { fromSlot, toSlot }
    },

    /** The rows that were captured in a range. */
    async captured(range: SampledPerp & TimeRange, page: PerpRowsPage, signal?: AbortSignal): Promise<PerpSnapshot[]> {
      const { venue, symbol, intervalMs, fromMs, toMs } = range
      const { order, limit } = page
      const paramsOf = (slots: SlotRange) => ({ venue, symbol, fromMs, toMs, ...slotParams({ intervalMs, ...slots }) })
      const parts = await readWidening({
        range: behind(slotsCapturedIn(range, intervalMs), page),
        order,
        limit,
        read: (slots, missing) =>
          readRows(client, readPerpSnapshot, {
            sql: `SELECT ${COLUMNS} FROM perp_snapshots WHERE ${OF_PERP} AND ${CAPTURED}
              ORDER BY slot ${directionOf(order)} LIMIT 1 BY slot LIMIT {limit:UInt32}`,
            params: { ...paramsOf(slots), limit: missing },
            ...(signal && { signal }),
          }),
        countOf: ({ length }) => length,
        edge: async (slots) => {
          const [found] = await readRows(client, (reader) => ({ count: reader.uint64(), slot: reader.uint64() }), {
            sql: `SELECT count(), ${order === 'asc' ? 'min' : 'max'}(slot) FROM perp_snapshots WHERE ${OF_PERP} AND ${CAPTURED}`,
            params: paramsOf(slots),
          })
          return found === undefined || found.count === 0 ? undefined : found.slot
        },
      })
      return parts.flat()
    },
  }
}

export type PerpSnapshotStore = ReturnType<typeof perpSnapshotStore>

function behind(range: SlotRange, { order, afterSlot, upToSlot = Infinity }: PerpRowsPage): SlotRange {
  const { fromSlot, toSlot } = { ...range, toSlot: Math.min(range.toSlot, upToSlot) }
  if (afterSlot === undefined) return { fromSlot, toSlot }
  return order === 'asc'
    ? { fromSlot: Math.max(fromSlot, afterSlot + 1), toSlot }
    : { fromSlot, toSlot: Math.min(toSlot, afterSlot - 1) }
}

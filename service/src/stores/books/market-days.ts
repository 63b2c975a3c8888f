import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { MARKET_PARAM, marketParam, readRows } from './read-rows.ts'
import { IS_KEPT_DAY } from './stored-since.ts'

/** Rows of a market on one day; a row that was inserted twice counts once. */
export interface MarketDay {
  /** Days since the Unix epoch. */
  day: number
  intervalMs: number
  firstSlot: number
  lastSlot: number
  rowCount: number
}

export interface DayParts {
  readonly marketId: string
  readonly intervalMs: number
  /** The first part may start before it. */
  readonly fromMs: number
  readonly toMs: number
  /** An hour or a day. */
  readonly partMs: number
}

const DAY_MS = 86_400_000
/** The first slot at or after a time; slots of a day are numbered within the day. */
const slotNumber = (time: string) => `intDiv(${time} + {intervalMs:UInt32} - 1, {intervalMs:UInt32})`

export function marketDayStore(client: ClickHouseReads) {
  return {
    /** All days of a market, the oldest first; first and last slot are the time bounds for reads of its rows. */
    days(marketId: string): Promise<MarketDay[]> {
      return readRows(
        client,
        (reader) => ({
          day: reader.uint16(),
          intervalMs: reader.uint32(),
          firstSlot: reader.uint64(),
          lastSlot: reader.uint64(),
          rowCount: reader.uint64(),
        }),
        {
          sql: `SELECT day, interval_ms, min(first_slot), max(last_slot), toUInt64(groupBitmapMerge(day_slots))
            FROM market_days WHERE market_id = ${MARKET_PARAM} AND ${IS_KEPT_DAY}
            GROUP BY day, interval_ms ORDER BY day, interval_ms`,
          params: { market: marketParam(marketId) },
        },
      )
    },

    /** First and last slot with a row, by interval; without the counts, which need the bitmaps. */
    spans(marketId: string): Promise<Pick<MarketDay, 'intervalMs' | 'firstSlot' | 'lastSlot'>[]> {
      return readRows(
        client,
        (reader) => ({ intervalMs: reader.uint32(), firstSlot: reader.uint64(), lastSlot: reader.uint64() }),
        {
          sql: `SELECT interval_ms, min(first_slot), max(last_slot) FROM market_days
            WHERE market_id = ${MARKET_PARAM} AND ${IS_KEPT_DAY} GROUP BY interval_ms`,
          params: { market: marketParam(marketId) },
        },
      )
    },

    /** Slots with a row, by the start of their hour or day; those without a row are left out. */
    async countByPart(parts: DayParts): Promise<Map<number, number>> {
      if (parts.partMs !== DAY_MS) return countInBitmaps(client, parts)
      // Counting a whole bitmap is far cheaper than cutting it, and only the first day may be cut.
      const wholeFromMs = Math.ceil(parts.fromMs / DAY_MS) * DAY_MS
      const [first, whole] = await Promise.all([
        wholeFromMs === parts.fromMs ? [] : countInBitmaps(client, { ...parts, toMs: wholeFromMs }),
        countWholeDays(client, { ...parts, fromMs: wholeFromMs }),
      ])
      return new Map([...first, ...whole])
    },
  }
}

export type MarketDayStore = ReturnType<typeof marketDayStore>

const ofDays = `market_id = ${MARKET_PARAM} AND interval_ms = {intervalMs:UInt32}
  AND day >= toDate({fromDay:UInt16}) AND day < toDate({toDay:UInt16}) AND ${IS_KEPT_DAY}`

function dayParams({ marketId, intervalMs, fromMs, toMs }: Omit<DayParts, 'partMs'>) {
  const days = { fromDay: Math.floor(fromMs / DAY_MS), toDay: Math.ceil(toMs / DAY_MS) }
  return { market: marketParam(marketId), intervalMs, ...days }
}

async function countWholeDays(client: ClickHouseReads, days: DayParts): Promise<Map<number, number>> {
  const rows = await readRows(client, (reader): [number, number] => [reader.uint64(), reader.uint64()], {
    sql: `SELECT toUInt64(toUInt16(day)) * ${DAY_MS}, toUInt64(groupBitmapMerge(day_slots)) AS row_count
      FROM market_days WHERE ${ofDays} GROUP BY day HAVING row_count > 0`,
    params: dayParams(days),
  })
  return new Map(rows)
}

async function countInBitmaps(client: ClickHouseReads, parts: DayParts): Promise<Map<number, number>> {
  const { partMs, fromMs } = parts
  const rows = await readRows(client, (reader): [number, number] => [reader.uint64(), reader.uint64()], {
    sql: `SELECT start + part * {partMs:UInt32},
        toUInt64(bitmapCardinality(bitmapSubsetInRange(slots,
          toUInt32(${slotNumber('greatest(start + part * {partMs:UInt32}, {fromMs:UInt64})')} - ${slotNumber('start')}),
          toUInt32(${slotNumber('start + (part + 1) * {partMs:UInt32}')} - ${slotNumber('start')})))) AS row_count
      FROM (
        SELECT toUInt64(toUInt16(day)) * ${DAY_MS} AS start, groupBitmapMergeState(day_slots) AS slots
        FROM market_days WHERE ${ofDays} GROUP BY day
      )
      ARRAY JOIN range(toUInt64(${DAY_MS} / {partMs:UInt32})) AS part
      WHERE row_count > 0 AND start + (part + 1) * {partMs:UInt32} > {fromMs:UInt64}`,
    params: { ...dayParams(parts), partMs, fromMs },
  })
  return new Map(rows)
}

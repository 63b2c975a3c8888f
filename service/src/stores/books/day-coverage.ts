import { HOUR_MS } from '../../domain/finished-hour.ts'
import { GAP_COLUMNS, type Gap, isRowGap, readGap } from '../../domain/rows/gap.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, columnList, readRows } from './read-rows.ts'
import { IS_KEPT_DAY } from './stored-since.ts'

/** Rows of one market in one hour. */
export interface HourOfMarket {
  readonly marketId: string
  readonly intervalMs: number
  readonly hourMs: number
  readonly stored: number
  readonly firstSlot: number
  readonly lastSlot: number
}

export interface MarketKind {
  readonly marketId: string
  readonly venue: string
  readonly category: string
}

/** All that is recorded of one day, without the rows themselves. */
export interface DayRecord {
  readonly hours: readonly HourOfMarket[]
  readonly gaps: readonly Gap[]
  readonly kinds: readonly MarketKind[]
}

const DAY_MS = 24 * HOUR_MS
const OF_DAY = 'day = toDate({day:UInt16})'
/** Perps have gap records under ids of their own. */
const GAPS_OF_DAY = `from_at < ${atParam('toMs')} AND (to_slot + 1) * interval_ms > {fromMs:Int64}
  AND NOT startsWith(market_id, 'perp:')`

const HOURS = `
  SELECT market_id, interval_ms, toUInt8(hour), toUInt64(bitmapCardinality(slots)),
    toUInt64(bitmapMin(slots)), toUInt64(bitmapMax(slots))
  FROM (
    SELECT market_id, interval_ms, hour, bitmapSubsetInRange(day_slots,
      toUInt32(ceil(hour * ${HOUR_MS} / interval_ms)), toUInt32(ceil((hour + 1) * ${HOUR_MS} / interval_ms))) AS slots
    FROM (
      SELECT market_id, interval_ms, groupBitmapMergeState(market_days.day_slots) AS day_slots
      FROM market_days WHERE ${OF_DAY} AND ${IS_KEPT_DAY}
      GROUP BY market_id, interval_ms
    )
    ARRAY JOIN range(24) AS hour
  )
  WHERE bitmapCardinality(slots) > 0`

const GAPS = `
  SELECT ${columnList(GAP_COLUMNS)} FROM gaps WHERE ${GAPS_OF_DAY}
  ORDER BY market_id, interval_ms, from_slot, cause, kind, to_slot DESC
  LIMIT 1 BY market_id, interval_ms, from_slot, cause, kind`

const KINDS = `
  SELECT market_id, toString(venue), toString(category) FROM market_facts FINAL
  WHERE market_id IN (SELECT market_id FROM market_days WHERE ${OF_DAY})
    OR market_id IN (SELECT market_id FROM gaps WHERE ${GAPS_OF_DAY})`

export function dayCoverageStore(client: ClickHouseReads) {
  return {
    async read(dayMs: number): Promise<DayRecord> {
      const params = { day: dayMs / DAY_MS, fromMs: dayMs, toMs: dayMs + DAY_MS }
      const hours = await readRows(
        client,
        (reader): HourOfMarket => {
          const [marketId, intervalMs] = [reader.hexBytes(32), reader.uint32()]
          const hourMs = dayMs + reader.uint8() * HOUR_MS
          // Slots of a day are numbered within the day.
          const firstOfDay = Math.ceil(dayMs / intervalMs)
          const [stored, first, last] = [reader.uint64(), reader.uint64(), reader.uint64()]
          return { marketId, intervalMs, hourMs, stored, firstSlot: firstOfDay + first, lastSlot: firstOfDay + last }
        },
        { sql: HOURS, params },
      )
      const gaps = await readRows(client, readGap, { sql: GAPS, params })
      const kinds = await readRows(
        client,
        (reader) => ({ marketId: reader.hexBytes(32), venue: reader.string(), category: reader.string() }),
        { sql: KINDS, params },
      )
      return { hours, gaps: gaps.filter(isRowGap), kinds }
    },

    /** Undefined when nothing is recorded. */
    async oldestDayMs(): Promise<number | undefined> {
      const [day] = await readRows(client, (reader) => reader.uint16(), {
        sql: `SELECT toUInt16(min(day)) FROM market_days WHERE ${IS_KEPT_DAY} HAVING count() > 0`,
        params: {},
      })
      return day === undefined ? undefined : day * DAY_MS
    },
  }
}

export type DayCoverageStore = ReturnType<typeof dayCoverageStore>

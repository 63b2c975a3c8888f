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
  }
}

export type MarketDayStore = ReturnType<typeof marketDayStore>

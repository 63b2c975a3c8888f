import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { atParam, readRows } from './read-rows.ts'

/** Markets without rows now, by the reason. */
export interface OpenGaps {
  readonly cause: string
  readonly markets: number
  /** When the oldest of these gaps began. */
  readonly sinceMs: number
}

/** The record of an open gap grows every second; it is stored some seconds later. */
const OPEN_MS = 20_000
/** Older gaps are not looked for, because the table is not ordered by time. */
const MOST_AGE_MS = 7 * 86_400_000

export function openGapStore(client: ClickHouseReads) {
  return {
    /** Gaps without rows that reached into the last 20 seconds and began within the last seven days; most markets first. */
    byCause(nowMs: number): Promise<OpenGaps[]> {
      return readRows(
        client,
        (reader) => ({ cause: reader.string(), markets: reader.uint64(), sinceMs: reader.uint64() }),
        {
          sql: `SELECT toString(cause) AS why, uniqExact(market_id) AS markets,
              toUInt64(toUnixTimestamp64Milli(min(from_at)))
            FROM gaps
            WHERE kind = 'missing' AND from_at >= ${atParam('fromMs')} AND from_at <= ${atParam('nowMs')}
              AND (to_slot + 1) * interval_ms > {openMs:Int64}
            GROUP BY why ORDER BY markets DESC, why`,
          params: { fromMs: nowMs - MOST_AGE_MS, nowMs, openMs: nowMs - OPEN_MS },
        },
      )
    },
  }
}

export type OpenGapStore = ReturnType<typeof openGapStore>

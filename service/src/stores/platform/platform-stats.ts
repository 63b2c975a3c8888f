import { atParam, readRows } from '../books/read-rows.ts'
import { IS_KEPT_DAY } from '../books/stored-since.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'

/** Recorded token snapshots of a category, two per row. */
export interface CategoryCount {
  readonly category: string
  readonly snapshots: number
  readonly firstAtMs: number
  readonly lastAtMs: number
}

export interface PerpCount {
  readonly snapshots: number
  /** Undefined without snapshots. */
  readonly latestAtMs: number | undefined
}

/** Days since the Unix epoch; `to` is not included. */
export interface Days {
  readonly from: number
  readonly to: number
}

const TOKENS = 2
const DAY_MS = 86_400_000

/** Counts of all recorded data. */
export function platformStatsStore(client: ClickHouseReads) {
  return {
    /** Counts each slot once, even if its row was inserted twice. A market without facts has the category `''`. */
    async countByCategory({ from, to }: Days, signal?: AbortSignal): Promise<CategoryCount[]> {
      return readRows(
        client,
        (reader) => ({
          category: reader.string(),
          snapshots: reader.uint64() * TOKENS,
          firstAtMs: reader.uint64(),
          lastAtMs: reader.uint64(),
        }),
        {
          sql: `SELECT toString(facts.newest_category), sum(days.row_count), min(days.first_ms), max(days.last_ms)
            FROM (
              SELECT market_id, toUInt64(groupBitmapMerge(day_slots)) AS row_count,
                min(first_slot) * interval_ms AS first_ms, max(last_slot) * interval_ms AS last_ms
              FROM market_days WHERE day >= toDate({from:UInt16}) AND day < toDate({to:UInt16}) AND ${IS_KEPT_DAY}
              GROUP BY market_id, day, interval_ms
            ) AS days
            LEFT JOIN (
              SELECT market_id, argMax(category, told_at) AS newest_category FROM market_facts GROUP BY market_id
            ) AS facts ON facts.market_id = days.market_id
            GROUP BY facts.newest_category ORDER BY facts.newest_category`,
          params: { from, to },
          ...(signal && { signal }),
        },
      )
    },

    /** All markets that were ever listed. */
    async marketsByCategory(signal?: AbortSignal): Promise<Map<string, number>> {
      const rows = await readRows(client, (reader): [string, number] => [reader.string(), reader.uint64()], {
        sql: `SELECT toString(newest_category), toUInt64(count())
            FROM (SELECT argMax(category, told_at) AS newest_category FROM market_facts GROUP BY market_id)
            GROUP BY newest_category`,
        params: {},
        ...(signal && { signal }),
      })
      return new Map(rows)
    },

    async perpsSince(fromMs: number, signal?: AbortSignal): Promise<PerpCount> {
      const [found] = await readRows(
        client,
        (reader) => ({ snapshots: reader.uint64(), latestAtMs: reader.uint64() }),
        {
          sql: `SELECT uniqExact(venue, symbol, slot), toUInt64(toUnixTimestamp64Milli(max(slot_at)))
            FROM perp_snapshots WHERE slot_at >= ${atParam('fromMs')}`,
          params: { fromMs },
          ...(signal && { signal }),
        },
      )
      const { snapshots = 0, latestAtMs = 0 } = found ?? {}
      return { snapshots, latestAtMs: snapshots === 0 ? undefined : latestAtMs }
    },
  }
}

export type PlatformStatsStore = ReturnType<typeof platformStatsStore>

export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

/** One sum per category. */
export function addCounts(counts: readonly CategoryCount[]): CategoryCount[] {
  return [...Map.groupBy(counts, ({ category }) => category)].map(([category, each]) => ({
    category,
    snapshots: each.reduce((sum, { snapshots }) => sum + snapshots, 0),
    firstAtMs: Math.min(...each.map(({ firstAtMs }) => firstAtMs)),
    lastAtMs: Math.max(...each.map(({ lastAtMs }) => lastAtMs)),
  }))
}

import { type SlotRange, slotsIn } from '../../domain/slot-range.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { readRows } from './read-rows.ts'
import { marketTimeParams, OF_MARKET, OF_PERP, type SampledMarket, type SampledPerp, slotParams } from './slot-sql.ts'

/** The slot after the range counts as a row, so that missing slots at the end of the range are found too. */
const runsOf = (table: string, where: string): string => `
  SELECT previous + 1, present - 1
  FROM (
    SELECT present, lagInFrame(present, 1, {beforeSlot:UInt64})
      OVER (ORDER BY present ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS previous
    FROM (
      SELECT DISTINCT slot AS present FROM ${table} WHERE ${where}
      UNION ALL
      SELECT {toSlot:UInt64} + 1
    )
  )
  WHERE present > previous + 1
  ORDER BY present`

const RUNS = runsOf('snapshots', OF_MARKET)
const PERP_RUNS = runsOf('perp_snapshots', OF_PERP)

export function missingSlotStore(client: ClickHouseReads) {
  return {
    /** The slots that have no row, as ranges in order. */
    runs(range: SampledMarket & TimeRange, signal?: AbortSignal): Promise<SlotRange[]> {
      const params = marketTimeParams(range)
      return readRows(client, (reader) => ({ fromSlot: reader.uint64(), toSlot: reader.uint64() }), {
        sql: RUNS,
        params: { ...params, beforeSlot: params.fromSlot - 1 },
        ...(signal && { signal }),
      })
    },

    /** The same of a perp. */
    perpRuns(
      { venue, symbol, intervalMs, fromMs, toMs }: SampledPerp & TimeRange,
      signal?: AbortSignal,
    ): Promise<SlotRange[]> {
      const params = slotParams({ intervalMs, ...slotsIn({ fromMs, toMs }, intervalMs) })
      return readRows(client, (reader) => ({ fromSlot: reader.uint64(), toSlot: reader.uint64() }), {
        sql: PERP_RUNS,
        params: { venue, symbol, ...params, beforeSlot: params.fromSlot - 1 },
        ...(signal && { signal }),
      })
    },
  }
}

export type MissingSlotStore = ReturnType<typeof missingSlotStore>

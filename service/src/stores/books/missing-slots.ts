import type { SlotRun } from '../../domain/slot-accounting.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'
import { readRows } from './read-rows.ts'
import { IN_SPAN, type Span, spanParams } from './snapshots.ts'

/** The end of the span stands for a row, so that the slots before it show too. */
const RUNS = `
  SELECT previous + 1, present - 1
  FROM (
    SELECT present, lagInFrame(present, 1, {beforeSlot:UInt64})
      OVER (ORDER BY present ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS previous
    FROM (
      SELECT DISTINCT slot AS present FROM snapshots WHERE ${IN_SPAN}
      UNION ALL
      SELECT {toSlot:UInt64}
    )
  )
  WHERE present > previous + 1
  ORDER BY present`

export function missingSlotStore(client: ClickHouseReads) {
  return {
    /** The slots of a span that have no row, as runs, by their start. */
    runs(span: Span, signal?: AbortSignal): Promise<SlotRun[]> {
      const params = spanParams(span)
      return readRows(client, (reader) => ({ fromSlot: reader.uint64(), toSlot: reader.uint64() }), {
        sql: RUNS,
        params: { ...params, beforeSlot: params.fromSlot - 1 },
        ...(signal && { signal }),
      })
    },
  }
}

export type MissingSlotStore = ReturnType<typeof missingSlotStore>

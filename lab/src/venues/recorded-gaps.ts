import type { ClickHouseClient } from '@clickhouse/client'
import type { Range } from '../recorded-range.ts'
import type { RecordedGap } from './explain-gaps.ts'

/** Gaps that begin in the range: without rows, or with rows in doubt. */
export async function gapsIn(
  clickhouse: ClickHouseClient,
  { fromMs, toMs }: Range,
  kind: 'missing' | 'suspect' = 'missing',
): Promise<RecordedGap[]> {
  const answer = await clickhouse.query({
    query: `SELECT concat('0x', lower(hex(market_id))) AS market, cause, interval_ms AS intervalMs,
        from_slot * interval_ms AS fromMs, (max(to_slot) + 1) * interval_ms AS toMs
      FROM gaps WHERE kind = {kind:String} AND from_slot * interval_ms BETWEEN {fromMs:Int64} AND {toMs:Int64}
        AND NOT startsWith(market_id, 'perp:')
      GROUP BY market_id, cause, interval_ms, from_slot`,
    query_params: { fromMs, toMs, kind },
    format: 'JSONEachRow',
  })
  const rows = await answer.json<Record<keyof RecordedGap, string | number>>()
  return rows.map(({ market, cause, intervalMs, ...times }) => ({
    market: String(market),
    cause: String(cause),
    intervalMs: Number(intervalMs),
    fromMs: Number(times.fromMs),
    toMs: Number(times.toMs),
  }))
}

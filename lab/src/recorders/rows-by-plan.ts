import type { Range } from '../recorded-range.ts'
import type { RecordingService } from '../recording-service.ts'

interface StoredPlan {
  readonly rows: number
  readonly lateP99Ms: number
  /** Markets of the plan. */
  readonly ids: ReadonlySet<string>
}

/** Rows of a time range, and all markets, by category. */
export async function rowsByPlan(
  { clickhouse }: RecordingService,
  { fromMs, toMs }: Range,
): Promise<Map<string, Partial<StoredPlan>>> {
  const facts = `SELECT market_id, any(category) AS category FROM market_facts GROUP BY market_id`
  const rows = await clickhouse.query({
    query: `SELECT category, count() AS rows,
        quantileExact(0.99)(toUnixTimestamp64Milli(captured_at) - toUnixTimestamp64Milli(slot_at)) AS lateP99Ms
      FROM snapshots INNER JOIN (${facts}) AS facts USING market_id
      WHERE slot_at >= fromUnixTimestamp64Milli({fromMs:Int64}) AND slot_at < fromUnixTimestamp64Milli({toMs:Int64})
      GROUP BY category`,
    query_params: { fromMs, toMs },
    format: 'JSONEachRow',
  })
  const ids = await clickhouse.query({
    query: `SELECT category, groupArray(concat('0x', lower(hex(market_id)))) AS ids FROM (${facts}) GROUP BY category`,
    format: 'JSONEachRow',
  })
  const plans = new Map<string, Partial<StoredPlan>>()
  for (const each of await ids.json<{ category: string; ids: string[] }>())
    plans.set(each.category, { ids: new Set(each.ids) })
  for (const { category, rows: count, lateP99Ms } of await rows.json<Record<string, string>>())
    plans.set(category ?? '', { ...plans.get(category ?? ''), rows: Number(count), lateP99Ms: Number(lateP99Ms) })
  return plans
}

import type { createClient } from '@clickhouse/client'
import type { Range } from './recorded-range.ts'

/** Statistics of the rows in a time range, queried without code of the service. */
export interface StoredRows {
  rowCount: number
  /** Share of the slots that markets recorded throughout should have. */
  completeness: number
  verified: number
  offsetP99Ms: number
  rowsPerSecond: number[]
  /** Six seconds hold a whole number of slots of every plan. */
  completenessEvery6s: number[]
  offsetsPerSecond: number[]
}

type ClickHouse = ReturnType<typeof createClient>

const SPAN = 'slot_at >= fromUnixTimestamp64Milli({fromMs:Int64}) AND slot_at < fromUnixTimestamp64Milli({toMs:Int64})'

/** Markets recorded before and after the range should have every slot in it. */
const THROUGHOUT = `SELECT market_id FROM snapshots GROUP BY market_id
  HAVING min(slot_at) <= fromUnixTimestamp64Milli({fromMs:Int64}) AND max(slot_at) >= fromUnixTimestamp64Milli({toMs:Int64}) - 4`

export async function recordedIn(clickhouse: ClickHouse, { fromMs, toMs }: Range): Promise<StoredRows> {
  const query = async <Row>(sql: string): Promise<Row[]> => {
    const answer = await clickhouse.query({ query: sql, query_params: { fromMs, toMs }, format: 'JSONEachRow' })
    return answer.json<Row>()
  }
  const [total] = await query<Record<string, number | string>>(`
    SELECT count() AS rowCount,
      100 * countIf(bitAnd(flags, 3) = 3) / count() AS verified,
      quantileExact(0.99)(toUnixTimestamp64Milli(captured_at) - toUnixTimestamp64Milli(slot_at)) AS offsetP99Ms
    FROM snapshots WHERE ${SPAN}`)
  const [share] = await query<{ completeness: number }>(`
    SELECT 100 * sum(stored) / sum(expected) AS completeness FROM (
      SELECT uniqExact(slot) AS stored, intDiv({toMs:Int64} - {fromMs:Int64}, any(interval_ms)) AS expected
      FROM snapshots WHERE ${SPAN} AND market_id IN (${THROUGHOUT}) GROUP BY market_id)`)
  const shares = await query<{ share: number }>(`
    WITH (SELECT sum(6000 / interval_ms) FROM (
      SELECT any(interval_ms) AS interval_ms FROM snapshots WHERE market_id IN (${THROUGHOUT}) GROUP BY market_id)) AS expected
    SELECT 100 * uniqExact(market_id, slot) / expected AS share FROM snapshots
    WHERE ${SPAN} AND market_id IN (${THROUGHOUT})
    GROUP BY toStartOfInterval(slot_at, INTERVAL 6 SECOND) AS bin ORDER BY bin`)
  const seconds = await query<{ rows: string; offset: number }>(`
    SELECT count() AS rows,
      quantileExact(0.99)(toUnixTimestamp64Milli(captured_at) - toUnixTimestamp64Milli(slot_at)) AS offset
    FROM snapshots WHERE ${SPAN} GROUP BY toStartOfSecond(slot_at) ORDER BY toStartOfSecond(slot_at)`)
  return {
    rowCount: Number(total?.rowCount),
    completeness: Math.round(Number(share?.completeness) * 1_000) / 1_000,
    verified: Math.round(Number(total?.verified) * 1_000) / 1_000,
    offsetP99Ms: Number(total?.offsetP99Ms),
    rowsPerSecond: seconds.map(({ rows }) => Number(rows)),
    completenessEvery6s: shares.map(({ share: each }) => Number(each)),
    offsetsPerSecond: seconds.map(({ offset }) => Number(offset)),
  }
}

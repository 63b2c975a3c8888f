import type { RowReader } from '../../domain/rows/row-binary.ts'
import { readRows } from '../books/read-rows.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'

/** What the rows of a market tell about it. */
export interface RecordedSpan {
  readonly marketId: string
  readonly intervalMs: number
  readonly firstSlot: number
  readonly lastSlot: number
  readonly rowCount: number
}

/** Properties of a market from its newest listing. */
export interface RecordedFacts {
  readonly marketId: string
  readonly venue: string
  readonly tokenIds: readonly [string, string]
  readonly category: string
  readonly subcategory: string
  readonly timeframe: string
  /** Empty for other categories than crypto. */
  readonly coin: string
  readonly slug: string
  readonly question: string
  readonly intervalMs: number
  readonly startsAtMs: number | undefined
  readonly endsAtMs: number
}

type Params = Readonly<Record<string, unknown>>

/** `day_slots` are numbered within a day, so each day is counted separately. Aggregation in key order halves the time. */
export function readSpans(client: ClickHouseReads, condition: string, params: Params): Promise<RecordedSpan[]> {
  const sql = `
    SELECT market_id, interval_ms, min(day_first), max(day_last), sum(day_rows)
    FROM (
      SELECT market_id, interval_ms, min(first_slot) AS day_first, max(last_slot) AS day_last,
        toUInt64(groupBitmapMerge(day_slots)) AS day_rows
      FROM market_days WHERE ${condition} GROUP BY market_id, interval_ms, day
    )
    GROUP BY market_id, interval_ms
    SETTINGS optimize_aggregation_in_order = 1`
  return readRows(client, spanOf, { sql, params: { ...params } })
}

/** The SQL of the facts of markets; its rows are read by `factsOf`. */
export const factsSql = (condition: string) => `
  SELECT market_id, venue, up_token_id, down_token_id, category, subcategory, timeframe, coin, slug, question,
    interval_ms, toUInt64(toUnixTimestamp64Milli(starts_at)), toUInt64(toUnixTimestamp64Milli(ends_at))
  FROM market_facts FINAL WHERE ${condition}`

export function readFacts(client: ClickHouseReads, condition: string, params: Params): Promise<RecordedFacts[]> {
  return readRows(client, factsOf, { sql: factsSql(condition), params: { ...params } })
}

function spanOf(reader: RowReader): RecordedSpan {
  return {
    marketId: reader.hexBytes(32),
    intervalMs: reader.uint32(),
    firstSlot: reader.uint64(),
    lastSlot: reader.uint64(),
    rowCount: reader.uint64(),
  }
}

export function factsOf(reader: RowReader): RecordedFacts {
  return {
    marketId: reader.hexBytes(32),
    venue: reader.string(),
    tokenIds: [reader.string(), reader.string()],
    category: reader.string(),
    subcategory: reader.string(),
    timeframe: reader.string(),
    coin: reader.string(),
    slug: reader.string(),
    question: reader.string(),
    intervalMs: reader.uint32(),
    startsAtMs: reader.uint64() || undefined,
    endsAtMs: reader.uint64(),
  }
}

import type { Readable } from 'node:stream'
import { DAY_MS } from '../../domain/day-file.ts'
import { SAME_BYTES } from '../books/hour-files.ts'
import { atParam } from '../books/read-rows.ts'
import type { ClickHouseReads, SentRows } from '../engines/clickhouse-reader.ts'

export interface DayQuery {
  /** Without FORMAT. Sorted by the inner query alone: sorting once more would need memory for the whole file. */
  readonly sql: string
  readonly params: Readonly<Record<string, unknown>>
  readonly sent?: SentRows
}

/** Larger groups than in the file of an hour, so that a remote reader needs fewer requests. */
const GROUP_ROWS = '100000'

export function inDay(column: string): string {
  return `${column} >= ${atParam('fromMs')} AND ${column} < ${atParam('toMs')}`
}

export function dayParams(dayMs: number): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: dayMs, toMs: dayMs + DAY_MS }
}

/** The rows as a Parquet file. The same rows always give the same bytes. */
export async function dayParquet(
  client: ClickHouseReads,
  { sql, params, sent }: DayQuery,
  signal: AbortSignal,
): Promise<Readable> {
  const { stream } = await client.exec({
    query: `${sql} FORMAT Parquet`,
    query_params: { ...params },
    clickhouse_settings: {
      ...SAME_BYTES,
      output_format_parquet_row_group_size: GROUP_ROWS,
      query_plan_remove_redundant_sorting: 0,
      precise_float_parsing: 1,
      input_format_parallel_parsing: 0,
    },
    abort_signal: signal,
    ...(sent && { sent }),
  })
  return stream
}

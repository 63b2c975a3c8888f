import { buffer } from 'node:stream/consumers'
import { RowReader } from '../../domain/rows/row-binary.ts'
import type { ClickHouseReads } from '../engines/clickhouse-reader.ts'

export interface RowQuery {
  /** Without FORMAT; its columns in the order in which `read` reads them. */
  sql: string
  params: Record<string, unknown>
  signal?: AbortSignal
  settings?: Readonly<Record<string, string | number>>
}

/** Reads rows as RowBinary, so that numbers are never converted to text. */
export async function readRows<Row>(
  client: ClickHouseReads,
  read: (reader: RowReader) => Row,
  { sql, params, signal, settings }: RowQuery,
): Promise<Row[]> {
  const { stream } = await client.exec({
    query: `${sql} FORMAT RowBinary`,
    query_params: params,
    // RowBinary cannot contain an error, so the server must finish the query before it sends the first byte.
    clickhouse_settings: { wait_end_of_query: 1, optimize_skip_unused_shards: 1, ...settings },
    ...(signal && { abort_signal: signal }),
  })
  const reader = new RowReader(await buffer(stream))
  const rows: Row[] = []
  while (!reader.isAtEnd) rows.push(read(reader))
  return rows
}

/** The SQL of a bound market id; the column is bytes, the parameter is hex. */
export const MARKET_PARAM = 'toFixedString(unhex({market:String}), 32)'

/** The SQL of a list of bound market ids, in hex; at most a thousand, because they are in the address of the query. */
export const IN_MARKETS = 'market_id IN (SELECT toFixedString(unhex(arrayJoin({markets:Array(String)})), 32))'

export function marketParam(marketId: string): string {
  return marketId.slice(2)
}

export function atParam(name: string): string {
  return `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
}

export function columnList(columns: readonly (readonly [string, string])[]): string {
  return columns.map(([name]) => name).join(', ')
}

import type { ClickHouseClient } from '@clickhouse/client'
import type { RowTable } from '../../domain/rows/row-table.ts'
import { type ClickHouseForm, localTable, onCluster } from './clickhouse-form.ts'

/** Days after which rows are dropped, by whole days; a table that is not named keeps everything. */
export type Retention = Partial<Record<RowTable, number>>

const TIME_COLUMNS: Record<RowTable, string> = {
  snapshots: 'slot_at',
  gaps: 'from_at',
  trades: 'traded_at',
  perp_snapshots: 'slot_at',
}

/** A setting, not a migration: it may change at any start, and is only written when it differs. */
export async function applyRetention(
  client: ClickHouseClient,
  form: ClickHouseForm,
  retention: Retention,
): Promise<void> {
  for (const [table, column] of Object.entries(TIME_COLUMNS) as [RowTable, string][]) {
    const name = localTable(form, table)
    const present = await presentDays(client, name)
    const wanted = retention[table]
    if (present === wanted) continue
    const alter = `ALTER TABLE ${name} ${onCluster(form)}`
    if (wanted === undefined) {
      await client.command({ query: `${alter} REMOVE TTL` })
    } else {
      // Parts are dropped whole when their time comes: nothing is rewritten, neither then nor now.
      await client.command({
        query: `${alter} MODIFY SETTING ttl_only_drop_parts = 1, materialize_ttl_recalculate_only = 1`,
      })
      await client.command({
        query: `${alter} MODIFY TTL toDateTime(${column}) + toIntervalDay(${Math.trunc(wanted)})`,
      })
    }
  }
}

async function presentDays(client: ClickHouseClient, table: string): Promise<number | undefined> {
  const result = await client.query({
    query: `SELECT extract(engine_full, 'TTL toDateTime\\\\(\\\\w+\\\\) \\\\+ toIntervalDay\\\\((\\\\d+)\\\\)') AS days
      FROM system.tables WHERE database = currentDatabase() AND name = {table:String}`,
    query_params: { table },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ days: string }>()
  return row === undefined || row.days === '' ? undefined : Number(row.days)
}

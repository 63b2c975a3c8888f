import type { ClickHouseClient } from '@clickhouse/client'
import type { RowTable } from '../../domain/rows/row-table.ts'
import { type ClickHouseForm, localTable, onCluster } from './clickhouse-form.ts'

/** Days after which rows are deleted; 0 keeps them forever. A table without a value is not changed. */
export type Retention = { readonly [Table in RowTable]?: number | undefined }

const TIME_COLUMNS: Record<RowTable, string> = {
  snapshots: 'slot_at',
  gaps: 'from_at',
  trades: 'traded_at',
  perp_snapshots: 'slot_at',
}

/** Retention is a setting, not a migration: it may change at every start and is written only when it differs. */
export async function applyRetention(
  client: ClickHouseClient,
  form: ClickHouseForm,
  retention: Retention,
): Promise<void> {
  for (const [table, column] of Object.entries(TIME_COLUMNS) as [RowTable, string][]) {
    const days = retention[table]
    if (days === undefined) continue
    const name = localTable(form, table)
    const current = await currentTtl(client, name)
    const wanted = days === 0 ? '' : `toDateTime(${column}) + toIntervalDay(${days})`
    if (current === wanted) continue
    const alter = `ALTER TABLE ${name} ${onCluster(form)}`
    if (wanted === '') {
      await client.command({ query: `${alter} REMOVE TTL` })
    } else {
      // Only whole parts are dropped, so no part is rewritten, neither now nor later.
      await client.command({
        query: `${alter} MODIFY SETTING ttl_only_drop_parts = 1, materialize_ttl_recalculate_only = 1`,
      })
      await client.command({ query: `${alter} MODIFY TTL ${wanted}` })
    }
  }
}

/** The TTL expression of a table; empty when it has none. */
async function currentTtl(client: ClickHouseClient, table: string): Promise<string> {
  const result = await client.query({
    query: `SELECT extract(engine_full, ' TTL (.+?)(?: SETTINGS |$)') AS ttl
      FROM system.tables WHERE database = currentDatabase() AND name = {table:String}`,
    query_params: { table },
    format: 'JSONEachRow',
  })
  const [row] = await result.json<{ ttl: string }>()
  return row?.ttl ?? ''
}

import type { ClickHouseClient } from '@clickhouse/client'
import { CLICKHOUSE_RETENTION, type RetentionDays, requireGapsAsLong } from '../../domain/retention.ts'
import { type ClickHouseForm, localTable, onCluster } from './clickhouse-form.ts'

/** Retention is a setting, not a migration: it may change at every start and is written only when it differs. */
export async function applyRetention(
  client: ClickHouseClient,
  form: ClickHouseForm,
  retention: RetentionDays,
): Promise<void> {
  requireGapsAsLong(retention)
  for (const [table, kept] of Object.entries(CLICKHOUSE_RETENTION)) {
    const days = kept.by === 'setting' ? retention[kept.setting] : undefined
    if (kept.by !== 'setting' || days === undefined) continue
    await setTtl(client, form, { table, column: kept.since, days })
  }
}

/** Notes the settings on a server, so that its readers know which days are no longer kept. */
export async function noteRetention(client: ClickHouseClient, retention: RetentionDays): Promise<void> {
  const known = await notedDays(client)
  const values = Object.entries(CLICKHOUSE_RETENTION).flatMap(([table_name, kept]) => {
    const days = kept.by === 'setting' ? retention[kept.setting] : undefined
    return days === undefined || days === (known.get(table_name) ?? 0) ? [] : [{ table_name, days }]
  })
  if (values.length === 0) return
  await client.insert({ table: 'retention', values, format: 'JSONEachRow', clickhouse_settings: { async_insert: 0 } })
}

async function setTtl(
  client: ClickHouseClient,
  form: ClickHouseForm,
  { table, column, days }: { table: string; column: string; days: number },
): Promise<void> {
  const name = localTable(form, table)
  const time = column === 'day' ? column : `toDateTime(${column})`
  const wanted = days === 0 ? '' : `${time} + toIntervalDay(${days})`
  if ((await currentTtl(client, name)) === wanted) return
  const alter = `ALTER TABLE ${name} ${onCluster(form)}`
  if (wanted === '') {
    await client.command({ query: `${alter} REMOVE TTL` })
    return
  }
  // Only whole parts are dropped, so no part is rewritten, neither now nor later. A part of the small tables has rows
  // of a month or of all times; these are rewritten.
  const isByDay = !['market_days', 'market_facts', 'past_markets', 'gaps', 'settlement_prices'].includes(table)
  const settings = `ttl_only_drop_parts = ${isByDay ? 1 : 0}, materialize_ttl_recalculate_only = 1`
  await client.command({ query: `${alter} MODIFY SETTING ${settings}` })
  await client.command({ query: `${alter} MODIFY TTL ${wanted}` })
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

async function notedDays(client: ClickHouseClient): Promise<Map<string, number>> {
  const result = await client.query({
    query: 'SELECT toString(table_name) AS name, argMax(days, set_at) AS last FROM retention GROUP BY table_name',
    format: 'JSONEachRow',
  })
  const rows = await result.json<{ name: string; last: number }>()
  return new Map(rows.map(({ name, last }) => [name, Number(last)]))
}

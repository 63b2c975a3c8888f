import type { Stack } from '@bookreel/stack/start-stack'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'

export function openClickHouse(stack: Stack, url = stack.variable('CLICKHOUSE_URL')): ClickHouseClient {
  return createClient({
    url,
    username: stack.variable('CLICKHOUSE_USER'),
    password: stack.variable('CLICKHOUSE_PASSWORD'),
    database: stack.variable('CLICKHOUSE_DATABASE'),
    log: { level: ClickHouseLogLevel.OFF },
  })
}

/** The first column of every row. */
export async function valuesOf(client: ClickHouseClient, query: string): Promise<unknown[]> {
  const result = await client.query({ query, format: 'JSONCompactEachRow' })
  const rows = await result.json<unknown[]>()
  return rows.map(([value]) => value)
}

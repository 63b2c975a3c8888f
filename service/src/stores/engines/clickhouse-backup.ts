import type { ClickHouseClient } from '@clickhouse/client'

/** BACKUP has no query parameters, so names become part of the statement and must not contain SQL or path separators. */
const NAME = /^[\w-]{1,80}$/

/** Writes all tables of the database to a folder of this name in the backup folder of the server. */
export async function backupClickHouse(client: ClickHouseClient, database: string, name: string): Promise<void> {
  await command(client, `BACKUP DATABASE ${checked(database)} TO File('${checked(name)}')`)
}

/** The database must not have the tables yet. */
export async function restoreClickHouse(client: ClickHouseClient, database: string, name: string): Promise<void> {
  await command(client, `RESTORE DATABASE ${checked(database)} FROM File('${checked(name)}')`)
}

async function command(client: ClickHouseClient, query: string): Promise<void> {
  await client.command({ query, clickhouse_settings: { max_execution_time: 0 } })
}

function checked(name: string): string {
  if (!NAME.test(name)) throw new Error(`the name ${JSON.stringify(name)} must have 1 to 80 letters, digits, - or _`)
  return name
}

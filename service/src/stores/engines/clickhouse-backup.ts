import type { ClickHouseClient } from '@clickhouse/client'

/** BACKUP takes no parameters, so names go into the statement: nothing that could mean anything else there, or lead out of the folder. */
const NAME = /^[\w-]{1,80}$/

/** Everything in the database, into a folder of that name within the folder for backups that the server allows. */
export async function backupClickHouse(client: ClickHouseClient, database: string, name: string): Promise<void> {
  await command(client, `BACKUP DATABASE ${checked(database)} TO File('${checked(name)}')`)
}

/** Into a database that does not hold the tables yet. */
export async function restoreClickHouse(client: ClickHouseClient, database: string, name: string): Promise<void> {
  await command(client, `RESTORE DATABASE ${checked(database)} FROM File('${checked(name)}')`)
}

async function command(client: ClickHouseClient, query: string): Promise<void> {
  await client.command({ query, clickhouse_settings: { max_execution_time: 0 } })
}

function checked(name: string): string {
  if (!NAME.test(name)) throw new Error('the name of a backup has letters, digits, - and _ only')
  return name
}

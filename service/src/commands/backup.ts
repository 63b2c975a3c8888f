import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { backupClickHouse, restoreClickHouse } from '../stores/engines/clickhouse-backup.ts'
import { backupPostgres, restorePostgres } from '../stores/engines/postgres-backup.ts'
import { openClickHouse } from '../wiring/engines.ts'

export interface BackupPlace {
  /** Of the backup; ClickHouse makes a folder of this name within its own folder for backups. */
  name: string
  /** Where the dump of PostgreSQL goes. */
  folder: string
  /** Where `pg_dump` and `pg_restore` are. */
  pgPrograms: string
}

/** Both stores, one after the other. The bus needs none: what it holds is on its way into them. */
export async function backup(config: Config, { name, folder, pgPrograms }: BackupPlace): Promise<string[]> {
  const file = join(folder, `${name}.pgdump`)
  if (await exists(file)) throw new Error(`${file} exists already`)
  const clickhouse = openClickHouse(config)
  try {
    await backupClickHouse(clickhouse, config.CLICKHOUSE_DATABASE, name)
    await backupPostgres({ url: config.DATABASE_URL, file, programFolder: pgPrograms })
    return [`ClickHouse: ${name} in its folder for backups`, `PostgreSQL: ${file}`]
  } finally {
    await clickhouse.close()
  }
}

/** Into empty stores; what holds tables already is left as it was. */
export async function restore(config: Config, { name, folder, pgPrograms }: BackupPlace): Promise<void> {
  const clickhouse = openClickHouse(config)
  try {
    await restoreClickHouse(clickhouse, config.CLICKHOUSE_DATABASE, name)
    const file = join(folder, `${name}.pgdump`)
    await restorePostgres({ url: config.DATABASE_URL, file, programFolder: pgPrograms })
  } finally {
    await clickhouse.close()
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { backupClickHouse, restoreClickHouse } from '../stores/engines/clickhouse-backup.ts'
import { backupPostgres, restorePostgres } from '../stores/engines/postgres-backup.ts'
import { openClickHouse } from '../wiring/engines.ts'

export interface BackupPlace {
  /** Name of the backup; ClickHouse creates a folder with this name in its backup folder. */
  name: string
  /** Folder of the PostgreSQL dump. */
  folder: string
  /** Folder of `pg_dump` and `pg_restore`. */
  pgPrograms: string
}

/** NATS needs no backup: its messages are stored in ClickHouse and PostgreSQL soon after. */
export async function backup(config: Config, { name, folder, pgPrograms }: BackupPlace): Promise<string[]> {
  const file = join(folder, `${name}.pgdump`)
  if (await exists(file)) throw new Error(`${file} already exists; choose another name or folder`)
  const clickhouse = openClickHouse(config)
  try {
    await backupClickHouse(clickhouse, config.CLICKHOUSE_DATABASE, name)
    await backupPostgres({ url: config.DATABASE_URL, file, programFolder: pgPrograms })
    return [`ClickHouse: ${name} in the backup folder of the server`, `PostgreSQL: ${file}`]
  } finally {
    await clickhouse.close()
  }
}

/** Restores into empty databases; fails when tables exist. */
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

import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { backupClickHouse, restoreClickHouse } from '../stores/engines/clickhouse-backup.ts'
import { backupPostgres, restorePostgres } from '../stores/engines/postgres-backup.ts'
import { openClickHouse } from '../wiring/engines.ts'
import { withExamples } from './help-examples.ts'
import type { OperatorTools } from './operator.ts'

interface BackupPlace {
  /** Name of the backup; ClickHouse creates a folder with this name in its backup folder. */
  name: string
  /** Folder of the PostgreSQL dump. */
  folder: string
  /** Folder of `pg_dump` and `pg_restore`. */
  pgPrograms: string
}

export function addBackupCommands(program: Command, { readConfig, print }: OperatorTools): void {
  const withPlace = (command: Command): Command =>
    command
      .argument('<name>', 'name of the backup: letters, digits, - and _')
      .option('--folder <folder>', 'folder of the PostgreSQL dump', '.')
      .option('--pg-programs <folder>', 'folder of pg_dump and pg_restore', '/usr/lib/postgresql/15/bin')
  const backupCommand = withPlace(program.command('backup'))
    .description('back up ClickHouse and PostgreSQL to files')
    .action(async (name: string, options: Omit<BackupPlace, 'name'>) => {
      print((await backup(await readConfig(), { name, ...options })).join('\n'))
    })
  withExamples(backupCommand, 'backup monday --folder /var/backups/bookreel')
  const restoreCommand = withPlace(program.command('restore'))
    .description('restore a backup into empty stores')
    .action(async (name: string, options: Omit<BackupPlace, 'name'>) => {
      await restore(await readConfig(), { name, ...options })
      print('Restore complete.')
    })
  withExamples(restoreCommand, 'restore monday --folder /var/backups/bookreel')
}

/** NATS needs no backup: its messages are stored in ClickHouse and PostgreSQL soon after. */
async function backup(config: Config, { name, folder, pgPrograms }: BackupPlace): Promise<string[]> {
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
async function restore(config: Config, { name, folder, pgPrograms }: BackupPlace): Promise<void> {
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

import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { backupClickHouse, clickHouseAmount, restoreClickHouse } from '../stores/engines/clickhouse-backup.ts'
import { backupPostgres, postgresAmount, restorePostgres } from '../stores/engines/postgres-backup.ts'
import { type Database, openDatabase } from '../stores/engines/postgres-database.ts'
import { openClickHouse } from '../wiring/engines.ts'
import { readManifest, writeManifest } from './backup-manifest.ts'
import { withExamples } from './help-examples.ts'
import type { OperatorTools } from './operator.ts'

interface BackupOptions {
  readonly clickhousePath?: string
  readonly pgPrograms?: string
}

/** One of the two parts of a backup. */
interface Part {
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly tables: number
  readonly rows: number
  readonly tookMs: number
}

/** The server answers when the whole backup is written. */
const CLICKHOUSE_ANSWERS_WITHIN_MS = 86_400_000
/** Counting rows of large tables is slow. */
const POSTGRES_ANSWERS_WITHIN_MS = 600_000

export function addBackupCommands(program: Command, tools: OperatorTools & { version: string }): void {
  const { name, version, readConfig, print } = tools
  const withPlace = (command: Command): Command =>
    command
      .option(
        '--clickhouse-path <path>',
        "place of the ClickHouse part on the disk of its server; a relative path starts in the server's backup folder (default: clickhouse in the folder)",
      )
      .option('--pg-programs <folder>', 'folder of pg_dump and pg_restore (default: the setting PG_PROGRAMS)')
  const backupCommand = withPlace(program.command('backup'))
    .description('back up ClickHouse and PostgreSQL to a new folder')
    .argument('<folder>', 'folder to create')
    .action(async (folder: string, options: BackupOptions) => {
      const parts = await backup(await readConfig(), resolve(folder), version, options)
      print(
        `${report(parts)}\nBackup complete. Restore it into empty databases with: ${name} restore ${resolve(folder)}`,
      )
    })
  withExamples(
    backupCommand,
    'backup /var/backups/bookreel/monday',
    'backup /var/backups/bookreel/monday --clickhouse-path monday',
  )
  const restoreCommand = withPlace(program.command('restore'))
    .description('restore a backup into empty databases')
    .argument('<folder>', 'folder that `backup` wrote')
    .action(async (folder: string, options: BackupOptions) => {
      const parts = await restore(await readConfig(), resolve(folder), version, options)
      const { settings } = program.opts<{ settings?: string }>()
      const again = settings === undefined ? name : `${name} --settings ${settings}`
      print(`${report(parts)}\nRestore complete. Now run \`${again} prepare\`, then \`${again} audit\`.`)
    })
  withExamples(restoreCommand, 'restore /var/backups/bookreel/monday')
}

/** NATS needs no backup: its messages are stored in ClickHouse and PostgreSQL soon after. */
async function backup(config: Config, folder: string, version: string, options: BackupOptions): Promise<Part[]> {
  await makeEmptyFolder(folder)
  await using engines = openEngines(config)
  const { clickhousePath } = options
  const at = new Date().toISOString()
  const parts = [
    await clickHousePart(engines.clickhouse, config, clickhousePath ?? join(folder, 'clickhouse'), backupClickHouse),
    await postgresPart(engines.database, config, join(folder, 'postgres.pgdump'), options, backupPostgres),
  ]
  await writeManifest(folder, { version, at, ...(clickhousePath !== undefined && { clickhousePath }) })
  return parts
}

/** Changes nothing unless both databases are empty. */
async function restore(config: Config, folder: string, version: string, options: BackupOptions): Promise<Part[]> {
  const manifest = await readManifest(folder, version)
  await using engines = openEngines(config)
  const { clickhouse, database } = engines
  const inClickHouse = await clickHouseAmount(clickhouse, config.CLICKHOUSE_DATABASE)
  const inPostgres = await postgresAmount(database)
  if (inClickHouse.tables > 0) throw new Error(notEmpty('ClickHouse', config.CLICKHOUSE_DATABASE, inClickHouse.tables))
  if (inPostgres.tables > 0)
    throw new Error(notEmpty('PostgreSQL', new URL(config.DATABASE_URL).pathname.slice(1), inPostgres.tables))
  const path = options.clickhousePath ?? manifest.clickhousePath ?? join(folder, 'clickhouse')
  const first = await clickHousePart(clickhouse, config, path, restoreClickHouse)
  return [first, await postgresPart(database, config, join(folder, 'postgres.pgdump'), options, restorePostgres)]
}

async function clickHousePart(
  client: ClickHouseClient,
  { CLICKHOUSE_DATABASE: database }: Config,
  path: string,
  act: typeof backupClickHouse,
): Promise<Part> {
  const startedAt = performance.now()
  const bytes = await act(client, { database, path })
  const tookMs = performance.now() - startedAt
  return { name: 'ClickHouse', path, bytes, ...(await clickHouseAmount(client, database)), tookMs }
}

async function postgresPart(
  database: Database,
  { DATABASE_URL: url, PG_PROGRAMS, PG_LIBRARIES: libraryPath }: Config,
  path: string,
  { pgPrograms: programFolder = PG_PROGRAMS }: BackupOptions,
  act: typeof backupPostgres,
): Promise<Part> {
  const startedAt = performance.now()
  await act({ url, file: path, programFolder, ...(libraryPath !== undefined && { libraryPath }) })
  const tookMs = performance.now() - startedAt
  const { size: bytes } = await stat(path)
  return { name: 'PostgreSQL', path, bytes, ...(await postgresAmount(database)), tookMs }
}

function openEngines(config: Config) {
  const clickhouse = openClickHouse(config, undefined, CLICKHOUSE_ANSWERS_WITHIN_MS)
  const database = openDatabase({
    url: config.DATABASE_URL,
    maxConnections: 1,
    answerWithinMs: POSTGRES_ANSWERS_WITHIN_MS,
  })
  return {
    clickhouse,
    database,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([clickhouse.close(), database.destroy()])
    },
  }
}

async function makeEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${folder} cannot be created (${error.code}). Choose another folder.`)
  })
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty. Choose a new folder.`)
  // A folder that was there already may be open to others, and ClickHouse chooses the rights of its files itself.
  await chmod(folder, 0o700)
}

function notEmpty(engine: string, database: string, tables: number): string {
  return `The ${engine} database ${database} already has ${tables} tables, and nothing was changed. Restore into empty databases, before \`prepare\`: set CLICKHOUSE_URL and DATABASE_URL to new ones, or drop and create these.`
}

function report(parts: readonly Part[]): string {
  const count = (amount: number) => amount.toLocaleString('en-US')
  return parts
    .map(
      ({ name, path, bytes, tables, rows, tookMs }) =>
        `${name.padEnd(12)}${path}  ${(bytes / 1e6).toFixed(1)} MB, ${tables} tables, ${count(rows)} rows, ${(tookMs / 1_000).toFixed(1)} s`,
    )
    .join('\n')
}

import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import { jetstream } from '@nats-io/jetstream'
import type { Command } from 'commander'
import { backupBuckets, countEntries, restoreBuckets } from '../bus/bucket-backup.ts'
import { untilArchived } from '../bus/row-streams.ts'
import type { Config } from '../config.ts'
import { wallClock } from '../domain/clock.ts'
import { backupClickHouse, clickHouseAmount, restoreClickHouse } from '../stores/engines/clickhouse-backup.ts'
import { backupPostgres, postgresAmount, restorePostgres } from '../stores/engines/postgres-backup.ts'
import { type Database, openDatabase } from '../stores/engines/postgres-database.ts'
import { openBus, openClickHouse } from '../wiring/engines.ts'
import { readManifest, writeManifest } from './backup-manifest.ts'
import { withExamples } from './help-examples.ts'
import type { OperatorTools } from './operator.ts'

interface BackupOptions {
  readonly clickhousePath?: string
  readonly pgPrograms?: string
}

/** What one engine has in a backup. */
interface Part {
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly amount: string
  readonly tookMs: number
}

/** The server answers when the whole backup is written. */
const CLICKHOUSE_ANSWERS_WITHIN_MS = 86_400_000
/** Counting rows of large tables is slow. */
const POSTGRES_ANSWERS_WITHIN_MS = 600_000
const ARCHIVED_WITHIN_MS = 60_000
const BUCKETS_FILE = 'nats.jsonl'

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
    .description('back up ClickHouse, PostgreSQL and the key-value buckets of NATS to a new folder')
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
    .description('restore a backup into empty databases and an empty NATS')
    .argument('<folder>', 'folder that `backup` wrote')
    .action(async (folder: string, options: BackupOptions) => {
      const parts = await restore(await readConfig(), resolve(folder), version, options)
      const { settings } = program.opts<{ settings?: string }>()
      const again = settings === undefined ? name : `${name} --settings ${settings}`
      print(`${report(parts)}\nRestore complete. Now run \`${again} prepare\`, then \`${again} audit\`.`)
    })
  withExamples(restoreCommand, 'restore /var/backups/bookreel/monday')
}

/**
 * Messages of NATS need no backup: they are stored in ClickHouse and PostgreSQL soon after. Its buckets come first, and
 * then the rows that they know of: after a restore, a recorder writes gaps for the time that its shard's state does not know.
 */
async function backup(config: Config, folder: string, version: string, options: BackupOptions): Promise<Part[]> {
  await makeEmptyFolder(folder)
  await using engines = await openEngines(config)
  const { clickhousePath } = options
  const at = new Date(wallClock()).toISOString()
  const buckets = await natsPart(join(folder, BUCKETS_FILE), (file) => backupBuckets(engines.jetstream, file))
  if (!(await untilArchived(await engines.jetstream.jetstreamManager(false), ARCHIVED_WITHIN_MS)))
    throw new Error('NATS has rows that are not in ClickHouse yet. Start the role archive, and make the backup again.')
  const parts = [
    buckets,
    await clickHousePart(engines.clickhouse, config, clickhousePath ?? join(folder, 'clickhouse'), backupClickHouse),
    await postgresPart(engines.database, config, join(folder, 'postgres.pgdump'), options, backupPostgres),
  ]
  await writeManifest(folder, { version, at, ...(clickhousePath !== undefined && { clickhousePath }) })
  return parts
}

/** Changes nothing unless both databases are empty. */
async function restore(config: Config, folder: string, version: string, options: BackupOptions): Promise<Part[]> {
  const manifest = await readManifest(folder, version)
  await using engines = await openEngines(config)
  const { clickhouse, database, jetstream } = engines
  const inClickHouse = await clickHouseAmount(clickhouse, config.CLICKHOUSE_DATABASE)
  const inPostgres = await postgresAmount(database)
  if (inClickHouse.tables > 0) throw new Error(notEmpty('ClickHouse', config.CLICKHOUSE_DATABASE, inClickHouse.tables))
  if (inPostgres.tables > 0)
    throw new Error(notEmpty('PostgreSQL', new URL(config.DATABASE_URL).pathname.slice(1), inPostgres.tables))
  const inBuckets = await countEntries(jetstream)
  if (inBuckets > 0)
    throw new Error(
      `The buckets of NATS already have ${inBuckets} entries, and nothing was changed. Restore into an empty NATS, before the first recorder starts.`,
    )
  const path = options.clickhousePath ?? manifest.clickhousePath ?? join(folder, 'clickhouse')
  const first = await clickHousePart(clickhouse, config, path, restoreClickHouse)
  const second = await postgresPart(database, config, join(folder, 'postgres.pgdump'), options, restorePostgres)
  const buckets = join(folder, BUCKETS_FILE)
  // Older versions did not write it.
  if (!existsSync(buckets)) return [first, second]
  return [await natsPart(buckets, (file) => restoreBuckets(jetstream, file, config.NATS_REPLICAS)), first, second]
}

async function natsPart(path: string, act: (file: string) => Promise<number>): Promise<Part> {
  const startedAt = performance.now()
  const amount = `${countText(await act(path))} entries`
  const { size: bytes } = await stat(path)
  return { name: 'NATS', path, bytes, amount, tookMs: performance.now() - startedAt }
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
  return { name: 'ClickHouse', path, bytes, amount: amountText(await clickHouseAmount(client, database)), tookMs }
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
  return { name: 'PostgreSQL', path, bytes, amount: amountText(await postgresAmount(database)), tookMs }
}

async function openEngines(config: Config) {
  const connection = await openBus(config, 'backup')
  const clickhouse = openClickHouse(config, undefined, CLICKHOUSE_ANSWERS_WITHIN_MS)
  const database = openDatabase({
    url: config.DATABASE_URL,
    maxConnections: 1,
    answerWithinMs: POSTGRES_ANSWERS_WITHIN_MS,
  })
  return {
    clickhouse,
    database,
    jetstream: jetstream(connection),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([clickhouse.close(), database.destroy(), connection.close()])
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
  return parts
    .map(
      ({ name, path, bytes, amount, tookMs }) =>
        `${name.padEnd(12)}${path}  ${(bytes / 1e6).toFixed(1)} MB, ${amount}, ${(tookMs / 1_000).toFixed(1)} s`,
    )
    .join('\n')
}

function amountText({ tables, rows }: { tables: number; rows: number }): string {
  return `${tables} tables, ${countText(rows)} rows`
}

function countText(count: number): string {
  return count.toLocaleString('en-US')
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from './postgres-database.ts'

export interface PostgresBackupOptions {
  readonly url: string
  readonly file: string
  /** Folder of `pg_dump` and `pg_restore`, which must not be older than the server. */
  readonly programFolder: string
  /** `LD_LIBRARY_PATH` of the programs. */
  readonly libraryPath?: string
  readonly signal?: AbortSignal
}

/** Tables and rows of the database; a table in parts counts once. */
export async function postgresAmount(database: Database): Promise<{ tables: number; rows: number }> {
  const { rows: found } = await sql<{ tables: number; rows: string }>`
    SELECT count(*)::int AS tables,
      coalesce(sum((xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %s', oid::regclass), false, true, '')))[1]::text::bigint), 0) AS rows
    FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`.execute(database)
  return { tables: found[0]?.tables ?? 0, rows: Number(found[0]?.rows ?? 0) }
}

/** A consistent dump of the database while the service writes. The file appears when it is complete. */
export async function backupPostgres(options: PostgresBackupOptions): Promise<void> {
  const unfinished = `${options.file}.unfinished`
  try {
    // pg_dump writes into the file that is there, and keeps its rights.
    await writeFile(unfinished, '', { mode: 0o600 })
    await run(options, 'pg_dump', ['--format=custom', '--no-owner', '--no-privileges', `--file=${unfinished}`])
    await rename(unfinished, options.file)
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Restores in one transaction; a database that already has the tables is not changed. */
export async function restorePostgres(options: PostgresBackupOptions): Promise<void> {
  const rules = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges']
  await run(options, 'pg_restore', [...rules, options.file])
}

async function run(options: PostgresBackupOptions, program: string, args: readonly string[]): Promise<void> {
  // Not in the URL, because all users of the machine can read program arguments.
  const address = new URL(options.url)
  const password = decodeURIComponent(address.password)
  address.password = ''
  const child = spawn(join(options.programFolder, program), ['--no-password', `--dbname=${address.href}`, ...args], {
    env: {
      PATH: '/usr/bin:/bin',
      PGPASSWORD: password,
      ...(options.libraryPath !== undefined && { LD_LIBRARY_PATH: options.libraryPath }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(options.signal && { signal: options.signal }),
  })
  let errorText = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    // The error comes first; the failed statement follows and can be long.
    errorText = `${errorText}${text}`.slice(0, 2_000)
  })
  const [code] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new Error(
      `There is no ${program} in ${options.programFolder}. Install the client programs of PostgreSQL, and name their folder with --pg-programs.`,
    )
  })
  if (code !== 0) throw new Error(sentenceOf(program, errorText, options))
}

function sentenceOf(program: string, errorText: string, { programFolder, file }: PostgresBackupOptions): string {
  if (/server version mismatch|unsupported version/.test(errorText))
    return `${program} in ${programFolder} is too old for this server or this backup. Install a newer version, and name its folder with --pg-programs.`
  if (/could not open (input|output) file/.test(errorText))
    return `${program} cannot open ${file}. Check the folder and its rights.`
  if (/password authentication failed/.test(errorText)) return `PostgreSQL refuses the password of DATABASE_URL.`
  if (/could not connect|Connection refused|connection to server/.test(errorText))
    return `${program} cannot reach PostgreSQL: ${firstLine(errorText)}`
  return `${program} failed: ${firstLine(errorText)}`
}

function firstLine(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^pg_\w+: (error: )?/, '').trim())
  return lines.find((line) => line !== '') ?? 'it gave no reason'
}

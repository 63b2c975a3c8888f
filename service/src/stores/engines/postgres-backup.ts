import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface PostgresBackupOptions {
  readonly url: string
  readonly file: string
  /** Folder of `pg_dump` and `pg_restore`, which must not be older than the server. */
  readonly programFolder: string
  /** `LD_LIBRARY_PATH` of the programs. */
  readonly libraryPath?: string
  readonly signal?: AbortSignal
}

/** A consistent dump of the database while the service writes. The file appears when it is complete. */
export async function backupPostgres(options: PostgresBackupOptions): Promise<void> {
  const unfinished = `${options.file}.unfinished`
  try {
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
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} exited with code ${code}: ${errorText.trim()}`)
}

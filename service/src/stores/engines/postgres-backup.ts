import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface PostgresBackupOptions {
  readonly url: string
  readonly file: string
  /** Where `pg_dump` and `pg_restore` are, of the server's version or newer. */
  readonly programFolder: string
  /** For programs that bring their own libraries. */
  readonly libraryPath?: string
  readonly signal?: AbortSignal
}

/** Everything in the database as of one moment, while others go on writing. The file appears when it is whole. */
export async function backupPostgres(options: PostgresBackupOptions): Promise<void> {
  const unfinished = `${options.file}.unfinished`
  try {
    await run(options, 'pg_dump', ['--format=custom', '--no-owner', '--no-privileges', `--file=${unfinished}`])
    await rename(unfinished, options.file)
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** Into an empty database, all or nothing: one that holds tables already is left as it was. */
export async function restorePostgres(options: PostgresBackupOptions): Promise<void> {
  const rules = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges']
  await run(options, 'pg_restore', [...rules, options.file])
}

async function run(options: PostgresBackupOptions, program: string, args: readonly string[]): Promise<void> {
  // Not in the address: arguments can be read by everyone on the machine.
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
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    // What went wrong stands first; the statement that it went wrong in follows, and can be long.
    complaint = `${complaint}${text}`.slice(0, 2_000)
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${complaint.trim()}`)
}

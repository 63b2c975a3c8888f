import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { openDatabase } from '@bookreel/service/stores/engines/postgres-database'
import { migratePostgres } from '@bookreel/service/stores/engines/postgres-migrations'
import type { Stack } from '@bookreel/stack/start-stack'
import pg from 'pg'
import { POOL_PORT } from './pool-messages.ts'

const MIGRATIONS = new URL('../../../service/migrations/postgres/', import.meta.url)
const MIGRATED_WITHIN_MS = 60_000

/**
 * Gives the empty database of a borrowed stack all tables. The first borrower migrates it and leaves a copy, which the
 * next ones get: copying takes a fourth of the CPU time. A stack outside of a test run is left as it is.
 */
export async function copyMigratedDatabase(stack: Pick<Stack, 'variable'>): Promise<void> {
  if (process.env[POOL_PORT] === undefined) return
  const address = stack.variable('DATABASE_URL')
  const url = new URL(address)
  const database = url.pathname.slice(1)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    const copy = await copyName()
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [copy])
    if (rowCount === 0) {
      await migrate(address)
      await client.query(`CREATE DATABASE ${copy} TEMPLATE ${database}`)
    } else {
      await client.query(`DROP DATABASE ${database} WITH (FORCE)`)
      await client.query(`CREATE DATABASE ${database} TEMPLATE ${copy}`)
    }
  } finally {
    await client.end()
  }
}

/** Other migrations, such as those of a changed copy of the source, have a copy of their own. */
async function copyName(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of (await readdir(MIGRATIONS)).sort()) hash.update(await readFile(new URL(file, MIGRATIONS)))
  return `migrated_${hash.digest('hex').slice(0, 16)}`
}

async function migrate(url: string): Promise<void> {
  const database = openDatabase({ url, answerWithinMs: MIGRATED_WITHIN_MS })
  try {
    await migratePostgres(database)
  } finally {
    await database.destroy()
  }
}

import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { publishTiers } from '../accounts/tiers.ts'
import { publishPacks } from '../money/packs.ts'
import type { Database } from './postgres-database.ts'

const FOLDER = new URL('../../../migrations/postgres/', import.meta.url)
const NUMBERED_FILE = /^\d{4}-[a-z0-9-]+\.sql$/

/**
 * Applies all new migrations and returns their names. Each has a transaction of its own, so no table is locked longer
 * than its own migration takes, and one that was interrupted goes on where it stopped. Concurrent processes wait for
 * each other's migrations, at most for the `answerWithinMs` of their database. `afterEach` runs also when a later one
 * fails.
 */
export async function migratePostgres(
  database: Database,
  afterEach: () => Promise<void> = async () => {},
): Promise<string[]> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: readMigrations } })
  const applied: string[] = []
  const next = () => alone(database, () => applyNext(migrator))
  for (let name = await next(); name !== undefined; name = await next()) {
    applied.push(name)
    await afterEach()
  }
  await publishTiers(database)
  await publishPacks(database)
  return applied
}

/** Any number that nothing else in this database locks. */
const MIGRATING = 715_020_261

/** The migrator reads the columns of all tables before its own lock, and fails when another process drops one then. */
function alone<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.connection().execute(async (connection) => {
    await sql`SELECT pg_advisory_lock(${MIGRATING})`.execute(connection)
    try {
      return await work()
    } finally {
      await sql`SELECT pg_advisory_unlock(${MIGRATING})`.execute(connection)
    }
  })
}

/** Undefined when all are applied. */
async function applyNext(migrator: Migrator): Promise<string | undefined> {
  const { error, results = [] } = await migrator.migrateUp()
  const name = results[0]?.migrationName
  if (error === undefined) return name
  const problem = `PostgreSQL migration failed (${name ?? 'before the first migration'})`
  throw new Error(`${problem}. Those before it are applied; run prepare again when the cause is gone.`, {
    cause: error,
  })
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(FOLDER)).filter((file) => NUMBERED_FILE.test(file))
  const entries = files.map(async (file): Promise<[string, Migration]> => {
    const text = await readFile(new URL(file, FOLDER), 'utf8')
    return [
      file.slice(0, -'.sql'.length),
      {
        async up(transaction) {
          await sql.raw(text).execute(transaction)
        },
      },
    ]
  })
  return Object.fromEntries(await Promise.all(entries))
}

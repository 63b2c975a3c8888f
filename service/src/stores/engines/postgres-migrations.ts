import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { publishTiers } from '../accounts/tiers.ts'
import type { Database } from './postgres-database.ts'

const FOLDER = new URL('../../../migrations/postgres/', import.meta.url)
const NUMBERED_FILE = /^\d{4}-[a-z0-9-]+\.sql$/

/**
 * Applies all new migrations and returns their names. A concurrent migration waits for this one, at most for the
 * `answerWithinMs` of its database, and then has nothing to do.
 */
export async function migratePostgres(database: Database): Promise<string[]> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: readMigrations } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) {
    const failed = results.find(({ status }) => status === 'Error')?.migrationName ?? 'before the first migration'
    throw new Error(`PostgreSQL migration failed (${failed})`, { cause: error })
  }
  await publishTiers(database)
  return results.map(({ migrationName }) => migrationName)
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

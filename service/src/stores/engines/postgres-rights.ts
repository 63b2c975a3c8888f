import { sql } from 'kysely'
import { LOGIN_NAMES } from '../../domain/grants/login-names.ts'
import { functionStatements, grantStatements, groupOf } from '../../domain/grants/postgres-grants.ts'
import type { Database } from './postgres-database.ts'

/** Gives the groups of logins that exist exactly their grants; after every migration, because it may replace functions. */
export async function applyPostgresRights(database: Database): Promise<void> {
  const groups = LOGIN_NAMES.map(groupOf)
  const { rows } = await sql<{ rolname: string }>`
    SELECT rolname FROM pg_roles WHERE rolname = ANY(${groups}::text[])`.execute(database)
  const existing = new Set(rows.map(({ rolname }) => rolname))
  const statements = [
    ...functionStatements(),
    ...LOGIN_NAMES.filter((name) => existing.has(groupOf(name))).flatMap(grantStatements),
  ]
  // In one transaction, so that no process is refused in between. Two processes at once wait for each other.
  await database.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(hashtext('postgres_rights'))`.execute(transaction)
    await sql.raw(statements.join(';\n')).execute(transaction)
  })
}

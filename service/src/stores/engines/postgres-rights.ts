import { sql } from 'kysely'
import { LOGIN_NAMES } from '../../domain/grants/login-names.ts'
import {
  functionStatements,
  grantStatements,
  groupOf,
  OWNER_FUNCTIONS,
  type Routine,
} from '../../domain/grants/postgres-grants.ts'
import type { Database } from './postgres-database.ts'

/** Gives the groups of logins that exist exactly their grants; after every migration, because it may replace functions. */
export function applyPostgresRights(database: Database): Promise<void> {
  // In one transaction, so that no process is refused in between. Two processes at once wait for each other.
  return database.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(hashtext('postgres_rights'))`.execute(transaction)
    const routines = await ownerRoutines(transaction)
    const groups = await existingGroups(transaction)
    const logins = LOGIN_NAMES.filter((name) => groups.has(groupOf(name)))
    const statements = [...functionStatements(routines), ...logins.flatMap((name) => grantStatements(name, routines))]
    await sql.raw(statements.join(';\n')).execute(transaction)
  })
}

/**
 * Lets functions run as their owner again; call it after a migration, which may have replaced one. What roles may do
 * with tables stays: a later migration may still have to make some of the columns.
 */
export async function applyFunctionRights(database: Database): Promise<void> {
  const statements = functionStatements(await ownerRoutines(database))
  if (statements.length > 0) await sql.raw(statements.join(';\n')).execute(database)
}

/** Whether any role has a login of its own. */
export async function hasPostgresLogins(database: Database): Promise<boolean> {
  return (await existingGroups(database)).size > 0
}

async function ownerRoutines(database: Database): Promise<Routine[]> {
  const { rows } = await sql<Routine>`
    SELECT proname AS name, oid::regprocedure::text AS signature FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND proname = ANY(${Object.keys(OWNER_FUNCTIONS)}::text[])
  `.execute(database)
  return rows
}

async function existingGroups(database: Database): Promise<Set<string>> {
  const { rows } = await sql<{ rolname: string }>`
    SELECT rolname FROM pg_roles WHERE rolname = ANY(${LOGIN_NAMES.map(groupOf)}::text[])
  `.execute(database)
  return new Set(rows.map(({ rolname }) => rolname))
}

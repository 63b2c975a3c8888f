import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { openDatabase } from '../stores/engines/postgres-database.ts'

const POSTGRES_ANSWERS_WITHIN_MS = 60_000

/** For the roles that callers connect to. Throws one error that names every unsafe setting and what to do about it. */
export function requireSafeSettings(config: Config): void {
  const problems = [...unsafeSettings(config)]
  if (problems.length === 0) return
  throw new Error(
    `These settings are not safe (docs/operations.md):\n${problems.map((each) => `  ${each}`).join('\n')}`,
  )
}

/** Grants, triggers and append-only tables mean nothing to a superuser of PostgreSQL. */
export async function requireLimitedLogin({ NODE_ENV, DATABASE_URL }: Config): Promise<void> {
  if (NODE_ENV !== 'production') return
  const database = openDatabase({
    url: DATABASE_URL,
    maxConnections: 1,
    answerWithinMs: POSTGRES_ANSWERS_WITHIN_MS,
  })
  try {
    const { rows } = await sql<{
      rolsuper: boolean
    }>`SELECT rolsuper FROM pg_roles WHERE rolname = current_user`.execute(database)
    if (rows[0]?.rolsuper !== true) return
  } finally {
    await database.destroy()
  }
  throw new Error(
    'The login in DATABASE_URL is a superuser of PostgreSQL, who may change the ledger and everything else. Give the process a login of its own: `bookreel-server logins write FOLDER --apply`, then `bookreel-server --settings FOLDER/api.env run api` (docs/logins.md).',
  )
}

function* unsafeSettings(config: Config): Iterable<string> {
  const { PUBLIC_URL, TRUSTED_PROXIES, REQUIRE_HTTPS, NODE_ENV, CLICKHOUSE_READER_USER } = config
  const isPublicHttps = PUBLIC_URL?.startsWith('https:') === true
  if (isPublicHttps && TRUSTED_PROXIES === undefined)
    yield 'PUBLIC_URL is https, but TRUSTED_PROXIES is not set, so all callers behind a proxy would share one address and its limits. Set TRUSTED_PROXIES to the address of the proxy that ends TLS, or to none if there is no proxy.'
  // This process has no TLS of its own, so only a proxy can report that a request was encrypted.
  if (REQUIRE_HTTPS && (TRUSTED_PROXIES ?? []).length === 0)
    yield 'HTTPS is required, but no proxy is trusted to report it, so every request would be refused. Set TRUSTED_PROXIES to the address of the proxy that ends TLS, or set REQUIRE_HTTPS=false.'
  if (REQUIRE_HTTPS && PUBLIC_URL !== undefined && !isPublicHttps)
    yield 'HTTPS is required, but PUBLIC_URL is not https. Set PUBLIC_URL to the https address, or set REQUIRE_HTTPS=false.'
  if (NODE_ENV === 'production' && CLICKHOUSE_READER_USER === undefined)
    yield 'CLICKHOUSE_READER_USER is not set, so requests of strangers would read with the account that can write. Create an account with read access only, and set CLICKHOUSE_READER_USER and CLICKHOUSE_READER_PASSWORD.'
}

import { sql } from 'kysely'
import type { RateLimits } from '../stores/accounts/rate-limits.ts'
import type { Database } from '../stores/engines/postgres-database.ts'
import type { Sessions } from './sessions.ts'

export interface EraseDeps {
  readonly database: Database
  readonly rateLimits: Pick<RateLimits, 'markRevoked'>
  readonly sessions: Pick<Sessions, 'endAll'>
}

export interface Erased {
  readonly keysRevoked: number
  readonly sessionsEnded: number
}

/** Removes what names the person of an account; credits and invoices stay. Safe to repeat. Throws `RedisUnavailable`. */
export async function eraseAccount({ database, rateLimits, sessions }: EraseDeps, accountId: string): Promise<Erased> {
  // First, so that no browser makes a key in the meantime; again at the end, for one that was signing in.
  const endedFirst = await sessions.endAll(accountId)
  const { rows } = await sql<{ id: string }>`SELECT erase_account(${accountId}::uuid) AS id`.execute(database)
  for (const { id } of rows) await rateLimits.markRevoked(accountId, id)
  return { keysRevoked: rows.length, sessionsEnded: endedFirst + (await sessions.endAll(accountId)) }
}

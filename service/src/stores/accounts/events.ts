import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'

/** Events of sessions; events of accounts, tiers and keys are written by triggers of the database. */
export interface NewEvent {
  readonly accountId: string
  readonly kind: 'session_started' | 'session_ended'
  /** An id of the session that cannot be used to sign in. */
  readonly subject: string
  /** Must not contain secrets. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>
}

export interface AccountEvent {
  readonly atMs: number
  /** For ledger entries, `credits_` and the kind of the entry. */
  readonly kind: string
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** Audit log of accounts. Entries are never changed or deleted. */
export class Events {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async note({ accountId, kind, subject, detail = {} }: NewEvent): Promise<void> {
    await sql`
      INSERT INTO events (account_id, kind, subject, detail)
      VALUES (${accountId}::uuid, ${kind}, ${subject}, ${JSON.stringify(detail)}::jsonb)
    `.execute(this.#database)
  }

  /** Includes ledger entries, newest first. */
  async list(accountId: string, limit: number): Promise<AccountEvent[]> {
    const { rows } = await sql<{ at: Date; kind: string; subject: string; detail: Record<string, unknown> }>`
      SELECT at, kind, subject, detail FROM account_events WHERE account_id = ${accountId}::uuid
      ORDER BY at DESC, subject DESC LIMIT ${limit}
    `.execute(this.#database)
    return rows.map(({ at, ...event }) => ({ atMs: at.getTime(), ...event }))
  }
}

import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'

/** What the database can't see by itself; accounts, tiers and keys tell their own story. */
export interface NewEvent {
  readonly accountId: string
  readonly kind: 'session_started' | 'session_ended'
  /** A name of the session that opens nothing. */
  readonly subject: string
  /** Nothing secret. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>
}

export interface AccountEvent {
  readonly atMs: number
  /** Of credits: `credits_` and the kind of the ledger's row. */
  readonly kind: string
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** What happened to accounts. Nothing is ever changed or removed. */
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

  /** Of one account, its credits too, the newest first. */
  async list(accountId: string, limit: number): Promise<AccountEvent[]> {
    const { rows } = await sql<{ at: Date; kind: string; subject: string; detail: Record<string, unknown> }>`
      SELECT at, kind, subject, detail FROM account_events WHERE account_id = ${accountId}::uuid
      ORDER BY at DESC, subject DESC LIMIT ${limit}
    `.execute(this.#database)
    return rows.map(({ at, ...event }) => ({ atMs: at.getTime(), ...event }))
  }
}

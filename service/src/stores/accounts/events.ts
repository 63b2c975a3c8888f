import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'

/** Events of sessions; others are written by triggers and functions of the database. */
export interface NewEvent {
  readonly accountId: string
  readonly kind: 'session_started' | 'session_ended' | 'sessions_ended'
  /** An id of the session that cannot be used to sign in, or the id of the account whose sessions all ended. */
  readonly subject: string
  /** Must not contain secrets. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>
}

/** Where an event stands in the list of its account. */
export interface EventPlace {
  readonly atMs: number
  readonly source: number
  readonly number: number
}

export interface AccountEvent {
  readonly place: EventPlace
  /** For ledger entries, `credits_` and the kind of the entry. */
  readonly kind: string
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
}

interface EventRow {
  at: Date
  kind: string
  subject: string
  detail: Record<string, unknown>
  source: number
  number: string
}

/** Audit log of accounts. Entries are never changed or deleted. */
export class Events {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async note({ accountId, kind, subject, detail = {} }: NewEvent): Promise<void> {
    await sql`
      SELECT note_session(${accountId}::uuid, ${kind}, ${subject}, ${JSON.stringify(detail)}::jsonb)
    `.execute(this.#database)
  }

  /** Includes ledger entries, newest first; only events before `before`. */
  async list(accountId: string, limit: number, before?: EventPlace): Promise<AccountEvent[]> {
    const { rows } = await sql<EventRow>`
      SELECT at, kind, subject, detail, source, number FROM list_account_events(
        ${accountId}::uuid, ${limit}::integer, ${before === undefined ? null : new Date(before.atMs)}::timestamptz,
        ${before?.source ?? null}::integer, ${before?.number ?? null}::bigint
      )
    `.execute(this.#database)
    return rows.map(({ at, source, number, ...event }) => ({
      place: { atMs: at.getTime(), source, number: Number(number) },
      ...event,
    }))
  }
}

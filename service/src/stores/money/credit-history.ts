import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'

export const CREDIT_KINDS = ['grant', 'payment', 'charge', 'refund', 'adjustment'] as const
export type CreditKind = (typeof CREDIT_KINDS)[number]

export interface CreditEntry {
  readonly id: number
  readonly atMs: number
  readonly kind: CreditKind
  /** Negative for charges. */
  readonly credits: number
  readonly balanceAfter: number
  readonly endpoint?: string
  readonly keyId?: string
  readonly keyLabel?: string
  readonly requestId?: string
  /** The charge that a refund returns. */
  readonly refundOf?: number
  /** What was bought to be fetched again for a day, such as a file. */
  readonly heldAs?: string
}

export interface CreditPage {
  readonly limit: number
  /** Only entries before this one. */
  readonly beforeId?: number | undefined
}

interface EntryRow {
  id: string
  at: Date
  kind: CreditKind
  delta: string
  balance_after: string
  endpoint: string | null
  key_id: string | null
  label: string | null
  request_id: string | null
  ref: string | null
  held_as: string | null
}

/** What came to an account and what it paid for. */
export class CreditHistory {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Newest first. Retries that were free are left out. */
  async list(accountId: string, { limit, beforeId }: CreditPage): Promise<CreditEntry[]> {
    // Behind `held:2027-01-31:`.
    const { rows } = await sql<EntryRow>`
      SELECT ledger.id, at, kind, delta, balance_after, endpoint, key_id, label, request_id, ref,
        CASE WHEN kind = 'charge' AND idem LIKE 'held:%' THEN substr(idem, 17) END AS held_as
      FROM ledger LEFT JOIN hashless_keys AS keys ON keys.id = ledger.key_id
      WHERE ledger.account_id = ${accountId}::uuid AND delta <> 0
        AND (${beforeId ?? null}::bigint IS NULL OR ledger.id < ${beforeId ?? null}::bigint)
      ORDER BY ledger.id DESC LIMIT ${limit}
    `.execute(this.#database)
    return rows.map(entryOf)
  }
}

function entryOf(row: EntryRow): CreditEntry {
  return {
    id: Number(row.id),
    atMs: row.at.getTime(),
    kind: row.kind,
    credits: Number(row.delta),
    balanceAfter: Number(row.balance_after),
    ...(row.endpoint !== null && { endpoint: row.endpoint }),
    ...(row.key_id !== null && { keyId: row.key_id }),
    ...(row.label !== null && { keyLabel: row.label }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(row.ref !== null && { refundOf: Number(row.ref) }),
    ...(row.held_as !== null && { heldAs: row.held_as }),
  }
}

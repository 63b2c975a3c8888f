import { sql } from 'kysely'
import { TIER_LIMITS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'

export interface Charge {
  readonly accountId: string
  readonly keyId?: string
  readonly credits: number
  /** Unique for the account; the same again is a replay. */
  readonly idem: string
  /** What is paid for: a replay must ask for the same. */
  readonly fingerprint: string
  readonly endpoint: string
  readonly requestId: string
}

export interface ChargeResult {
  readonly outcome:
    | 'charged'
    | 'replayed'
    /** Paid already, for something else. */
    | 'mismatch'
    /** Paid already, and replayed too often or too late. */
    | 'spent'
    | 'out_of_credits'
    /** The key's own monthly limit. */
    | 'key_limit'
    | 'unknown_account'
  readonly charged: number
  readonly balance: number
  /** What the key may still spend this month, if it has a limit of its own. */
  readonly keyLeft?: number
}

export interface Grant {
  readonly accountId: string
  readonly credits: number
  readonly kind: 'grant' | 'payment' | 'adjustment'
  /** Deterministic: what was granted once under it is not granted again. */
  readonly idem: string
  readonly note?: string
}

export interface Spendable {
  readonly balance: number
  readonly keyLeft?: number
}

const FREE_CREDITS = TIER_LIMITS.free.creditsPerMonth

interface SpendableRow {
  is_known: boolean
  balance_left: string
  key_left: string | null
}

interface ChargeRow {
  outcome: ChargeResult['outcome']
  charged: string
  balance_left: string
  key_left: string | null
}

/** Every credit that came or went. The rules are in the database, where no race gets around them. */
export class CreditLedger {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** One round trip. Throws only when the database does; then ask again with the same `idem`. */
  async charge({ accountId, keyId, credits, idem, fingerprint, endpoint, requestId }: Charge): Promise<ChargeResult> {
    const { rows } = await sql<ChargeRow>`
      SELECT * FROM charge_credits(
        ${accountId}::uuid, ${keyId ?? null}::uuid, ${credits}::bigint, ${idem}, ${fingerprint}, ${endpoint},
        ${requestId}, ${FREE_CREDITS}::bigint
      )`.execute(this.#database)
    const row = onlyRow(rows)
    return { outcome: row.outcome, charged: Number(row.charged), ...spendableOf(row) }
  }

  /** Undoes a charge of which nobody knows whether it came about, now or later. Says what was given back. */
  async void(accountId: string, idem: string): Promise<number> {
    const { rows } = await sql<{ refunded: string }>`
      SELECT * FROM void_charge(${accountId}::uuid, ${idem})`.execute(this.#database)
    return Number(onlyRow(rows).refunded)
  }

  /** With the monthly grants that are due. Undefined for an unknown account. */
  async spendable(accountId: string, keyId?: string): Promise<Spendable | undefined> {
    const { rows } = await sql<SpendableRow>`
      SELECT * FROM spendable_credits(${accountId}::uuid, ${keyId ?? null}::uuid, ${FREE_CREDITS}::bigint)
    `.execute(this.#database)
    const row = onlyRow(rows)
    return row.is_known ? spendableOf(row) : undefined
  }

  /** Credits of the current calendar month (UTC), what was given back taken off. */
  async spentThisMonth(accountId: string): Promise<number> {
    const { rows } = await sql<{ spent: string }>`
      SELECT coalesce(-sum(delta), 0) AS spent FROM ledger
      WHERE account_id = ${accountId}::uuid AND kind IN ('charge', 'refund')
        AND at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
    `.execute(this.#database)
    return Math.max(0, Number(onlyRow(rows).spent))
  }

  /** Whether anything was paid under it. */
  async isPaid(accountId: string, idem: string): Promise<boolean> {
    const row = await this.#database
      .selectFrom('ledger')
      .select('id')
      .where('account_id', '=', accountId)
      .where('idem', '=', idem)
      .executeTakeFirst()
    return row !== undefined
  }

  /** Whether anything was paid under one of them within the last 24 hours. */
  async wasPaidLately(accountId: string, idems: readonly string[]): Promise<boolean> {
    const row = await this.#database
      .selectFrom('ledger')
      .select('id')
      .where('account_id', '=', accountId)
      .where('idem', 'in', idems)
      .where(sql<boolean>`at > now() - interval '24 hours'`)
      .executeTakeFirst()
    return row !== undefined
  }

  /** False when it was granted before. */
  async grant({ accountId, credits, kind, idem, note }: Grant): Promise<boolean> {
    const row = await this.#database
      .insertInto('ledger')
      .values({
        account_id: accountId,
        delta: credits,
        kind,
        idem,
        note: note ?? null,
        fingerprint: null,
        ref: null,
        key_id: null,
        endpoint: null,
        request_id: null,
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'idem']).doNothing())
      .returning('id')
      .executeTakeFirst()
    return row !== undefined
  }

  /** Accounts whose balance is not what their rows add up to; there should be none, ever. */
  async drifts(): Promise<{ accountId: string; balance: number; sum: number }[]> {
    const { rows } = await sql<{ id: string; balance: string; sum: string }>`
      SELECT accounts.id, balance, coalesce(sum(delta), 0) AS sum
      FROM accounts LEFT JOIN ledger ON ledger.account_id = accounts.id
      GROUP BY accounts.id HAVING balance <> coalesce(sum(delta), 0)
    `.execute(this.#database)
    return rows.map(({ id, balance, sum }) => ({ accountId: id, balance: Number(balance), sum: Number(sum) }))
  }
}

function spendableOf({ balance_left, key_left }: Pick<ChargeRow, 'balance_left' | 'key_left'>): Spendable {
  return { balance: Number(balance_left), ...(key_left !== null && { keyLeft: Number(key_left) }) }
}

function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('the database answered with nothing')
  return row
}

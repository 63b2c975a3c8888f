import { sql } from 'kysely'
import type { PaidRead } from '../../domain/paid-read.ts'
import { TIER_LIMITS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'

export interface Charge {
  readonly accountId: string
  readonly keyId?: string
  readonly credits: number
  /** Idempotency key, unique per account; a second charge with it is a replay. */
  readonly idem: string
  /** Identifies the request that is paid for; a replay must have the same. */
  readonly fingerprint: string
  readonly endpoint: string
  readonly requestId: string
  /** Hash of the answer that is paid for; a replay must have the same. */
  readonly answerHash?: string
  readonly read?: PaidRead
}

/** A charge under an idempotency key of the caller. */
export interface PaidRequest {
  /** Undefined for a charge of version 0.8. */
  readonly read?: PaidRead
}

export interface ChargeResult {
  readonly outcome:
    | 'charged'
    | 'replayed'
    /** The idempotency key was used for another request. */
    | 'mismatch'
    /** Replayed too often or too late. */
    | 'spent'
    /** The answer differs from the one that was paid for. */
    | 'changed'
    | 'out_of_credits'
    /** The monthly credit limit of the API key is reached. */
    | 'key_limit'
    | 'unknown_account'
  readonly charged: number
  readonly balance: number
  /** Credits that the key may still spend this month; undefined when it has no limit. */
  readonly keyLeft?: number
}

export interface Grant {
  readonly accountId: string
  readonly credits: number
  readonly kind: 'grant' | 'payment' | 'adjustment'
  /** Idempotency key: credits are granted once per key. */
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

/** Charges, refunds and grants. The rules are SQL functions, so that concurrent charges cannot break them. */
export class CreditLedger {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Throws only when the database fails; then retry with the same `idem`. */
  async charge(charge: Charge): Promise<ChargeResult> {
    const { accountId, keyId, credits, idem, fingerprint, endpoint, requestId, answerHash, read } = charge
    const { rows } = await sql<ChargeRow>`
      SELECT * FROM charge_credits(
        ${accountId}::uuid, ${keyId ?? null}::uuid, ${credits}::bigint, ${idem}, ${fingerprint}, ${endpoint},
        ${requestId}, ${FREE_CREDITS}::bigint, ${answerHash ?? null}, ${read?.atMs ?? null}::bigint,
        ${read?.upToSlot ?? null}::bigint
      )`.execute(this.#database)
    const row = onlyRow(rows)
    return { outcome: row.outcome, charged: Number(row.charged), ...spendableOf(row) }
  }

  /**
   * Cancels a charge of unknown outcome, even if it is committed later; only one whose idempotency key begins with
   * `once:`. Returns the refunded credits, undefined when the charge is older than ten minutes.
   */
  async void(accountId: string, idem: string): Promise<number | undefined> {
    const { rows } = await sql<{ refunded: string | null }>`
      SELECT * FROM void_charge(${accountId}::uuid, ${idem})`.execute(this.#database)
    const { refunded } = onlyRow(rows)
    return refunded === null ? undefined : Number(refunded)
  }

  /** Includes monthly grants that are due. Undefined for an unknown account. */
  async spendable(accountId: string, keyId?: string): Promise<Spendable | undefined> {
    const { rows } = await sql<SpendableRow>`
      SELECT * FROM spendable_credits(${accountId}::uuid, ${keyId ?? null}::uuid, ${FREE_CREDITS}::bigint)
    `.execute(this.#database)
    const row = onlyRow(rows)
    return row.is_known ? spendableOf(row) : undefined
  }

  /** Credits charged in the current calendar month (UTC), minus refunds. */
  async spentThisMonth(accountId: string): Promise<number> {
    const { rows } = await sql<{ spent: string }>`
      SELECT coalesce(-sum(delta), 0) AS spent FROM ledger
      WHERE account_id = ${accountId}::uuid AND kind IN ('charge', 'refund')
        AND at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
    `.execute(this.#database)
    return Math.max(0, Number(onlyRow(rows).spent))
  }

  /** Undefined when this request was not charged under this idempotency key within the last 24 hours. */
  async findPaid(accountId: string, idem: string, fingerprint: string): Promise<PaidRequest | undefined> {
    const row = await this.#database
      .selectFrom('ledger')
      .select(['read_at_ms', 'read_up_to_slot'])
      .where('account_id', '=', accountId)
      .where('idem', '=', idem)
      .where('fingerprint', '=', fingerprint)
      .where(sql<boolean>`at > now() - interval '24 hours'`)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const { read_at_ms: at, read_up_to_slot: upTo } = row
    return at === null ? {} : { read: { atMs: Number(at), ...(upTo !== null && { upToSlot: Number(upTo) }) } }
  }

  /** Whether the ledger has an entry of the last 24 hours with one of these idempotency keys. */
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

  /** Whether the account was charged for `heldAs` before this time, on any day. */
  async wasHeldBefore(accountId: string, heldAs: string, beforeMs: number): Promise<boolean> {
    const row = await this.#database
      .selectFrom('ledger')
      .select('id')
      .where('account_id', '=', accountId)
      .where('kind', '=', 'charge')
      .where('idem', 'like', 'held:%')
      // Behind `held:2027-01-31:`.
      .where(sql<boolean>`substr(idem, 17) = ${heldAs}`)
      .where('at', '<', new Date(beforeMs))
      .executeTakeFirst()
    return row !== undefined
  }

  /** False when it was already granted. */
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
        answer_hash: null,
        read_at_ms: null,
        read_up_to_slot: null,
      })
      .onConflict((conflict) => conflict.columns(['account_id', 'idem']).doNothing())
      .returning('id')
      .executeTakeFirst()
    return row !== undefined
  }

  /** Accounts whose balance differs from the sum of their ledger entries; there must be none. */
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
  if (row === undefined) throw new Error('the SQL function returned no row')
  return row
}

import { type Selectable, sql } from 'kysely'
import { SCOPES, type Scope } from '../../domain/scope.ts'
import type { Tier } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'
import { tierIn } from './accounts.ts'
import type { AccountTables } from './postgres-account-tables.ts'

export interface NewKey {
  readonly accountId: string
  readonly hash: Buffer
  readonly pepperId: string
  readonly preview: string
  readonly label: string
  readonly scopes: readonly Scope[]
  readonly expiresAtMs?: number
  /** Credits per calendar month. */
  readonly creditLimit?: number
}

export interface StoredKey {
  readonly id: string
  readonly accountId: string
  readonly preview: string
  readonly label: string
  readonly scopes: readonly Scope[]
  readonly createdAtMs: number
  readonly expiresAtMs?: number
  readonly lastUsedAtMs?: number
  readonly revokedAtMs?: number
  readonly creditLimit?: number
  /** Credits spent in the current calendar month. */
  readonly spentThisMonth: number
}

/** The key of a request, with the tier of its account. */
export interface PresentedKey {
  readonly id: string
  readonly accountId: string
  readonly hash: Buffer
  readonly pepperId: string
  readonly label: string
  readonly scopes: readonly Scope[]
  readonly expiresAtMs?: number
  /** Neither revoked nor expired, by the clock of PostgreSQL. */
  readonly isValid: boolean
  readonly tier: Tier
}

type KeyRow = Selectable<AccountTables['api_keys']>

const SPENT_THIS_MONTH = sql<string>`
  CASE WHEN spent_month = date_trunc('month', now() AT TIME ZONE 'UTC')::date THEN spent ELSE 0 END`

/** API keys; only their hashes are stored. */
export class Keys {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Undefined when the account already has `maxKeys` working keys, also for concurrent requests. */
  insert(key: NewKey, maxKeys: number): Promise<StoredKey | undefined> {
    return this.#database.transaction().execute(async (transaction) => {
      // The lock keeps the count valid until the insert.
      await transaction
        .selectFrom('accounts')
        .select('id')
        .where('id', '=', key.accountId)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow()
      const { count } = await transaction
        .selectFrom('api_keys')
        .select((columns) => columns.fn.countAll<string>().as('count'))
        .where('account_id', '=', key.accountId)
        .where('revoked_at', 'is', null)
        .where(sql<boolean>`(expires_at IS NULL OR expires_at > now())`)
        .executeTakeFirstOrThrow()
      if (Number(count) >= maxKeys) return undefined
      const row = await transaction
        .insertInto('api_keys')
        .values(rowOf(key))
        .returningAll()
        .returning(SPENT_THIS_MONTH.as('spent_this_month'))
        .executeTakeFirstOrThrow()
      return keyOf(row)
    })
  }

  /** A key has one hash per pepper in use. */
  async find(hashes: readonly Buffer[]): Promise<PresentedKey | undefined> {
    const row = await this.#database
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .selectAll('api_keys')
      .select([
        sql<string>`tier_of(accounts)`.as('tier_now'),
        sql<boolean>`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))`.as('is_valid'),
      ])
      .where(sql<boolean>`api_keys.hash = ANY(${hashes}::bytea[])`)
      .executeTakeFirst()
    return (
      row && {
        id: row.id,
        accountId: row.account_id,
        hash: row.hash,
        pepperId: row.pepper_id,
        label: row.label,
        scopes: scopesIn(row.scopes),
        ...(row.expires_at && { expiresAtMs: row.expires_at.getTime() }),
        isValid: row.is_valid,
        tier: tierIn(row.tier_now),
      }
    )
  }

  /** Includes revoked keys, oldest first. */
  async list(accountId: string): Promise<StoredKey[]> {
    const rows = await this.#database
      .selectFrom('api_keys')
      .selectAll()
      .select(SPENT_THIS_MONTH.as('spent_this_month'))
      .where('account_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    return rows.map(keyOf)
  }

  /** The keys with this id or label, of all accounts, also revoked ones, oldest first. */
  async named(wanted: { readonly id: string } | { readonly label: string }): Promise<StoredKey[]> {
    const rows = await this.#database
      .selectFrom('api_keys')
      .selectAll()
      .select(SPENT_THIS_MONTH.as('spent_this_month'))
      .where((column) => column.and(wanted))
      .orderBy('created_at')
      .execute()
    return rows.map(keyOf)
  }

  /** Notifies all nodes. Returns the hash of the revoked key; undefined when there is no such key that works. */
  async revoke(keyId: string, accountId?: string): Promise<Buffer | undefined> {
    let query = this.#database
      .updateTable('api_keys')
      .set({ revoked_at: sql<Date>`now()` })
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null)
    if (accountId !== undefined) query = query.where('account_id', '=', accountId)
    const row = await query.returning('hash').executeTakeFirst()
    return row?.hash
  }

  /** Writes at most once a minute per key, on all nodes together. */
  async noteUse(uses: readonly { readonly keyId: string; readonly atMs: number }[]): Promise<void> {
    if (uses.length === 0) return
    const ids = uses.map(({ keyId }) => keyId)
    const times = uses.map(({ atMs }) => new Date(atMs))
    await sql`
      UPDATE api_keys SET last_used_at = used.at
      FROM unnest(${ids}::uuid[], ${times}::timestamptz[]) AS used (id, at)
      WHERE api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at <= used.at - interval '1 minute')
    `.execute(this.#database)
  }

  /** Replaces the hash by one with a newer pepper. */
  async rehash(keyId: string, { hash, pepperId }: { hash: Buffer; pepperId: string }): Promise<void> {
    await this.#database
      .updateTable('api_keys')
      .set({ hash, pepper_id: pepperId })
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null)
      .execute()
  }
}

function rowOf(key: NewKey) {
  return {
    account_id: key.accountId,
    hash: key.hash,
    pepper_id: key.pepperId,
    preview: key.preview,
    label: key.label,
    scopes: [...key.scopes],
    expires_at: key.expiresAtMs === undefined ? null : new Date(key.expiresAtMs),
    credit_limit: key.creditLimit ?? null,
    last_used_at: null,
    revoked_at: null,
  }
}

function keyOf(row: KeyRow & { spent_this_month: string }): StoredKey {
  return {
    id: row.id,
    accountId: row.account_id,
    preview: row.preview,
    label: row.label,
    scopes: scopesIn(row.scopes),
    createdAtMs: row.created_at.getTime(),
    ...(row.expires_at && { expiresAtMs: row.expires_at.getTime() }),
    ...(row.last_used_at && { lastUsedAtMs: row.last_used_at.getTime() }),
    ...(row.revoked_at && { revokedAtMs: row.revoked_at.getTime() }),
    ...(row.credit_limit !== null && { creditLimit: Number(row.credit_limit) }),
    spentThisMonth: Number(row.spent_this_month),
  }
}

/** Leaves out scopes that this version does not know. */
function scopesIn(texts: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => texts.includes(scope))
}

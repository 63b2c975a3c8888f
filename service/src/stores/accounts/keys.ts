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
  readonly standing: KeyStanding
}

/** What a key allows now. PostgreSQL computes the times that are left, because the clocks of the nodes differ. */
export interface KeyStanding {
  readonly keyId: string
  /** Neither revoked nor expired. */
  readonly isValid: boolean
  /** Undefined when the key does not expire. */
  readonly keyLeftMs?: number
  readonly tier: Tier
  /** Undefined when the tier does not end. */
  readonly tierLeftMs?: number
}

interface StandingRow {
  readonly id: string
  readonly is_valid: boolean
  readonly key_left_ms: number | null
  readonly tier_now: string
  readonly tier_left_ms: number | null
}

type KeyRow = Selectable<AccountTables['api_keys']>

const SPENT_THIS_MONTH = sql<string>`
  CASE WHEN spent_month = date_trunc('month', now() AT TIME ZONE 'UTC')::date THEN spent ELSE 0 END`

const IS_VALID = sql<boolean>`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))`

const STANDING = [
  IS_VALID.as('is_valid'),
  sql<number | null>`(extract(epoch FROM expires_at - now()) * 1000)::float8`.as('key_left_ms'),
  sql<string>`tier_of(accounts)`.as('tier_now'),
  sql<number | null>`(extract(epoch FROM tier_until(accounts) - now()) * 1000)::float8`.as('tier_left_ms'),
] as const

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

  /** A key has one hash per pepper in use. Undefined for revoked and expired keys. */
  async find(hashes: readonly Buffer[]): Promise<PresentedKey | undefined> {
    const [key] = await this.findMany(hashes)
    return key
  }

  /** The working keys with one of these hashes. Others are left out here, so that refusing them takes as long as refusing an unknown key. */
  async findMany(hashes: readonly Buffer[]): Promise<PresentedKey[]> {
    const rows = await this.#database
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .selectAll('api_keys')
      .select(STANDING)
      .where(sql<boolean>`api_keys.hash = ANY(${hashes}::bytea[])`)
      .where(IS_VALID)
      .execute()
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      hash: row.hash,
      pepperId: row.pepper_id,
      label: row.label,
      scopes: scopesIn(row.scopes),
      standing: standingOf(row),
    }))
  }

  /** Leaves out keys that no longer exist. */
  async standings(keyIds: readonly string[]): Promise<KeyStanding[]> {
    const rows = await this.#database
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .select('api_keys.id')
      .select(STANDING)
      .where(sql<boolean>`api_keys.id = ANY(${keyIds}::uuid[])`)
      .execute()
    return rows.map(standingOf)
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

  /** Notifies all nodes. Returns the ids as stored; undefined when there is no such key that works. */
  async revoke(keyId: string, accountId?: string): Promise<{ keyId: string; accountId: string } | undefined> {
    let query = this.#database
      .updateTable('api_keys')
      .set({ revoked_at: sql<Date>`now()` })
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null)
    if (accountId !== undefined) query = query.where('account_id', '=', accountId)
    const row = await query.returning(['id', 'account_id']).executeTakeFirst()
    return row && { keyId: row.id, accountId: row.account_id }
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

function standingOf(row: StandingRow): KeyStanding {
  return {
    keyId: row.id,
    isValid: row.is_valid,
    ...(row.key_left_ms !== null && { keyLeftMs: row.key_left_ms }),
    tier: tierIn(row.tier_now),
    ...(row.tier_left_ms !== null && { tierLeftMs: row.tier_left_ms }),
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

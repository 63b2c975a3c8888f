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
  /** When the secret before the last rotation ends or ended; undefined when the key was never rotated. */
  readonly formerSecretUntilMs?: number
  readonly creditLimit?: number
  /** Credits spent in the current calendar month. */
  readonly spentThisMonth: number
}

/** `null` removes an end or a limit; undefined leaves it as it is. */
export interface KeyChanges {
  readonly label?: string
  readonly expiresAtMs?: number | null
  readonly creditLimit?: number | null
}

export interface NewSecret {
  readonly hash: Buffer
  readonly pepperId: string
  readonly preview: string
  /** How long the former secret goes on working; at most a day. */
  readonly overlapSeconds: number
}

/** The key of a request, with the tier of its account. */
export interface PresentedKey {
  readonly id: string
  readonly accountId: string
  /** Of the secret that was presented. */
  readonly hash: Buffer
  readonly pepperId: string
  readonly secretNumber: number
  readonly label: string
  readonly scopes: readonly Scope[]
  /** For the holder of that secret. */
  readonly standing: KeyStanding
}

/** The key without a secret with which the console acts for an account. */
export type ConsoleKey = Omit<PresentedKey, 'hash' | 'pepperId'>

/** What a key allows now. PostgreSQL computes the times that are left, because the clocks of the nodes differ. */
export interface KeyStanding {
  readonly keyId: string
  /** Neither revoked nor expired. */
  readonly isValid: boolean
  /** Undefined when the key does not expire. */
  readonly keyLeftMs?: number
  /** Of the newest secret. */
  readonly secretNumber: number
  /** For the secret before it; undefined when there was none. */
  readonly formerLeftMs?: number
  readonly tier: Tier
  /** Undefined when the tier does not end. */
  readonly tierLeftMs?: number
}

interface StandingRow {
  readonly id: string
  readonly is_valid: boolean
  readonly key_left_ms: number | null
  readonly secret_number: number
  readonly former_left_ms: number | null
  readonly tier_now: string
  readonly tier_left_ms: number | null
}

type KeyRow = Selectable<AccountTables['hashless_keys']>
type StoredRow = KeyRow & { spent_this_month: string }
type SecretRow = Selectable<AccountTables['api_keys']>

export const SPENT_THIS_MONTH = sql<string>`
  CASE WHEN spent_month = date_trunc('month', now() AT TIME ZONE 'UTC')::date THEN spent ELSE 0 END`

const IS_VALID = sql<boolean>`(revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))`

const STANDING = [
  IS_VALID.as('is_valid'),
  sql<number | null>`(extract(epoch FROM expires_at - now()) * 1000)::float8`.as('key_left_ms'),
  'secret_number',
  sql<number | null>`(extract(epoch FROM former_until - now()) * 1000)::float8`.as('former_left_ms'),
  'tier_now',
  sql<number | null>`(extract(epoch FROM tier_ends_at - now()) * 1000)::float8`.as('tier_left_ms'),
] as const

/** API keys; only their hashes are stored. */
export class Keys {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Undefined when the account has as many working keys as its tier allows, also for concurrent requests. */
  async issue(key: NewKey): Promise<StoredKey | undefined> {
    const { accountId, hash, pepperId, preview, label, scopes, expiresAtMs, creditLimit } = key
    const { rows } = await sql<StoredRow>`
      SELECT *, ${SPENT_THIS_MONTH} AS spent_this_month
      FROM issue_key(
        ${accountId}::uuid, ${hash}, ${pepperId}, ${preview}, ${label}, ${scopes}::text[],
        ${expiresAtMs === undefined ? null : new Date(expiresAtMs)}::timestamptz, ${creditLimit ?? null}::bigint
      )`.execute(this.#database)
    return rows[0] && keyOf(rows[0])
  }

  /** A key has one hash per pepper in use. Undefined for revoked and expired keys. */
  async find(hashes: readonly Buffer[]): Promise<PresentedKey | undefined> {
    const [key] = await this.findMany(hashes)
    return key
  }

  /** The working keys with one of these hashes. Others are left out here, so that refusing them takes as long as refusing an unknown key. */
  async findMany(hashes: readonly Buffer[]): Promise<PresentedKey[]> {
    const rows = await this.#database
      .selectFrom(sql<SecretRow>`find_keys(${hashes}::bytea[])`.as('keys'))
      .innerJoin('nameless_accounts', 'nameless_accounts.id', 'keys.account_id')
      .selectAll('keys')
      .select(STANDING)
      .where(IS_VALID)
      .execute()
    return rows.flatMap(secretsOf).filter(({ hash, standing }) => standing.isValid && hashes.some(isEqualTo(hash)))
  }

  /** Every account with a person has one. Undefined for other accounts, and when the account was erased. */
  async findConsole(accountId: string): Promise<ConsoleKey | undefined> {
    const row = await this.#database
      .selectFrom('hashless_keys')
      .innerJoin('nameless_accounts', 'nameless_accounts.id', 'account_id')
      .selectAll('hashless_keys')
      .select(STANDING)
      .where('account_id', '=', accountId)
      .where('is_console', '=', true)
      .where(IS_VALID)
      .executeTakeFirst()
    return row && { ...ownerOf(row), secretNumber: row.secret_number, standing: standingOf(row) }
  }

  /** Leaves out keys that no longer exist. */
  async standings(keyIds: readonly string[]): Promise<KeyStanding[]> {
    const rows = await this.#database
      .selectFrom('hashless_keys')
      .innerJoin('nameless_accounts', 'nameless_accounts.id', 'account_id')
      .select('hashless_keys.id')
      .select(STANDING)
      .where(sql<boolean>`hashless_keys.id = ANY(${keyIds}::uuid[])`)
      .execute()
    return rows.map(standingOf)
  }

  /** Includes revoked keys, oldest first; the key of the console is not among them. */
  async list(accountId: string): Promise<StoredKey[]> {
    const rows = await this.#database
      .selectFrom('hashless_keys')
      .selectAll()
      .select(SPENT_THIS_MONTH.as('spent_this_month'))
      .where('account_id', '=', accountId)
      .where('is_console', '=', false)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    return rows.map(keyOf)
  }

  /** The keys with this id or label, of all accounts, also revoked ones, oldest first. */
  async named(wanted: { readonly id: string } | { readonly label: string }): Promise<StoredKey[]> {
    const rows = await this.#database
      .selectFrom('hashless_keys')
      .selectAll()
      .select(SPENT_THIS_MONTH.as('spent_this_month'))
      .where((column) => column.and(wanted))
      .where('is_console', '=', false)
      .orderBy('created_at')
      .execute()
    return rows.map(keyOf)
  }

  /** Notifies all nodes. Returns the ids as stored; undefined when there is no such key that works. */
  async revoke(keyId: string, accountId?: string): Promise<{ keyId: string; accountId: string } | undefined> {
    let query = this.#database
      .updateTable('hashless_keys')
      .set({ revoked_at: sql<Date>`now()` })
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null)
      .where('is_console', '=', false)
    if (accountId !== undefined) query = query.where('account_id', '=', accountId)
    const row = await query.returning(['id', 'account_id']).executeTakeFirst()
    return row && { keyId: row.id, accountId: row.account_id }
  }

  /** Notifies all nodes. Undefined when the account has no such key that works. */
  async change(accountId: string, keyId: string, changes: KeyChanges): Promise<StoredKey | undefined> {
    const { label, expiresAtMs, creditLimit } = changes
    const members = {
      ...(label !== undefined && { label }),
      ...(expiresAtMs !== undefined && { expires_at: expiresAtMs === null ? null : new Date(expiresAtMs) }),
      ...(creditLimit !== undefined && { credit_limit: creditLimit }),
    }
    const { rows } = await sql<StoredRow>`
      SELECT *, ${SPENT_THIS_MONTH} AS spent_this_month
      FROM change_key(${accountId}::uuid, ${keyId}::uuid, ${JSON.stringify(members)}::jsonb)
    `.execute(this.#database)
    return rows[0] && keyOf(rows[0])
  }

  /**
   * Gives the key another secret and notifies all nodes. Undefined when the account has no such key that works, or when
   * the rotation would end a former secret before its time; without an overlap that is what the caller wants.
   */
  async rotate(accountId: string, keyId: string, secret: NewSecret): Promise<StoredKey | undefined> {
    const { hash, pepperId, preview, overlapSeconds } = secret
    const { rows } = await sql<StoredRow>`
      SELECT *, ${SPENT_THIS_MONTH} AS spent_this_month
      FROM rotate_key(${accountId}::uuid, ${keyId}::uuid, ${hash}, ${pepperId}, ${preview}, ${overlapSeconds}::integer)
    `.execute(this.#database)
    return rows[0] && keyOf(rows[0])
  }

  /** Until when the former secret of a working key works; undefined when none does. */
  async formerSecretUntil(accountId: string, keyId: string): Promise<number | undefined> {
    const { rows } = await sql<{ former_until: Date }>`
      SELECT former_until FROM hashless_keys
      WHERE id = ${keyId}::uuid AND account_id = ${accountId}::uuid AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > now()) AND former_until > now()
    `.execute(this.#database)
    return rows[0]?.former_until.getTime()
  }

  /** Writes at most once a minute per key, on all nodes together. */
  async noteUse(uses: readonly { readonly keyId: string; readonly atMs: number }[]): Promise<void> {
    if (uses.length === 0) return
    const ids = uses.map(({ keyId }) => keyId)
    const times = uses.map(({ atMs }) => new Date(atMs))
    await sql`
      UPDATE hashless_keys SET last_used_at = used.at
      FROM unnest(${ids}::uuid[], ${times}::timestamptz[]) AS used (id, at)
      WHERE hashless_keys.id = used.id AND (last_used_at IS NULL OR last_used_at <= used.at - interval '1 minute')
    `.execute(this.#database)
  }

  /** Replaces the hash of one secret by one with a newer pepper; nothing when the secret was rotated meanwhile. */
  async rehash(key: Pick<PresentedKey, 'id' | 'hash'>, newest: { hash: Buffer; pepperId: string }): Promise<void> {
    await sql`SELECT rehash_key(${key.id}::uuid, ${key.hash}, ${newest.hash}, ${newest.pepperId})`.execute(
      this.#database,
    )
  }
}

/** What the key allows to the holder of one of its secrets. */
export function standingWith(standing: KeyStanding, secretNumber: number): KeyStanding {
  if (secretNumber === standing.secretNumber) return standing
  const leftMs = secretNumber === standing.secretNumber - 1 ? (standing.formerLeftMs ?? 0) : 0
  return {
    ...standing,
    isValid: standing.isValid && leftMs > 0,
    keyLeftMs: Math.min(standing.keyLeftMs ?? Infinity, leftMs),
  }
}

/** A key with its newest secret, and with the former one. */
function secretsOf(row: SecretRow & StandingRow): PresentedKey[] {
  if (row.hash === null || row.pepper_id === null) return []
  const standing = standingOf(row)
  const key = ownerOf(row)
  const newest = { ...key, hash: row.hash, pepperId: row.pepper_id, secretNumber: row.secret_number, standing }
  if (row.former_hash === null || row.former_pepper_id === null) return [newest]
  const formerNumber = row.secret_number - 1
  const former = { hash: row.former_hash, pepperId: row.former_pepper_id, secretNumber: formerNumber }
  return [newest, { ...key, ...former, standing: standingWith(standing, formerNumber) }]
}

function ownerOf(row: KeyRow): Pick<PresentedKey, 'id' | 'accountId' | 'label' | 'scopes'> {
  return { id: row.id, accountId: row.account_id, label: row.label, scopes: scopesIn(row.scopes) }
}

function isEqualTo(hash: Buffer): (other: Buffer) => boolean {
  return (other) => other.equals(hash)
}

function standingOf(row: StandingRow): KeyStanding {
  return {
    keyId: row.id,
    isValid: row.is_valid,
    ...(row.key_left_ms !== null && { keyLeftMs: row.key_left_ms }),
    secretNumber: row.secret_number,
    ...(row.former_left_ms !== null && { formerLeftMs: row.former_left_ms }),
    tier: tierIn(row.tier_now),
    ...(row.tier_left_ms !== null && { tierLeftMs: row.tier_left_ms }),
  }
}

function keyOf(row: StoredRow): StoredKey {
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
    ...(row.former_until && { formerSecretUntilMs: row.former_until.getTime() }),
    ...(row.credit_limit !== null && { creditLimit: Number(row.credit_limit) }),
    spentThisMonth: Number(row.spent_this_month),
  }
}

/** Leaves out scopes that this version does not know. */
function scopesIn(texts: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => texts.includes(scope))
}

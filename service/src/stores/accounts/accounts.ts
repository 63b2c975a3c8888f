import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { isTier, TIER_LIMITS, type Tier } from '../../domain/tier.ts'
import type { Database, Tables } from '../engines/postgres-database.ts'
import type { AccountTables } from './postgres-account-tables.ts'

export interface Account {
  readonly id: string
  /** The current tier; `free` after a paid tier has expired. */
  readonly tier: Tier
  readonly tierSinceMs: number
  readonly tierExpiresAtMs?: number
  /** Time of the next credit grant; undefined before the first one. */
  readonly nextGrantAtMs?: number
  /** The tier was set by an operator, not bought. */
  readonly isArranged: boolean
  readonly balance: number
  readonly createdAtMs: number
}

/** With the name, which only operators may read. */
export interface NamedAccount extends Account {
  readonly name: string
}

export interface TierChange {
  readonly tier: Tier
  /** Length from now; without `months` and `expiresAtMs` the tier does not end. */
  readonly months?: number
  readonly expiresAtMs?: number
  /** Granted from the second month on; the caller grants the credits of the first month. */
  readonly monthlyCredits: number
}

type AccountRow = Omit<Selectable<AccountTables['nameless_accounts']>, 'tier_ends_at'>
type NamedRows = SelectQueryBuilder<Tables, 'accounts', AccountRow & { name: string }>

/** Accounts and their tiers. Can be created with a transaction, to change a tier together with other rows. */
export class Accounts {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async create(name: string): Promise<NamedAccount> {
    const { id } = await this.#database
      .insertInto('accounts')
      .values({ name, tier_expires_at: null })
      .returning('id')
      .executeTakeFirstOrThrow()
    const [account] = await this.named({ id })
    if (account === undefined) throw new Error(`account ${id} does not exist`)
    return account
  }

  async find(id: string): Promise<Account | undefined> {
    const row = await this.#database.selectFrom('nameless_accounts').selectAll().where('id', '=', id).executeTakeFirst()
    return row && accountOf(row)
  }

  /** The account with this id, or those with this name, oldest first. */
  named(wanted: { readonly id: string } | { readonly name: string }): Promise<NamedAccount[]> {
    return this.#list((rows) => rows.where((column) => column.and(wanted)))
  }

  /** Oldest first. */
  list(): Promise<NamedAccount[]> {
    return this.#list((rows) => rows)
  }

  /** Notifies all nodes. False when the account does not exist. */
  async setTier(id: string, { tier, months, expiresAtMs, monthlyCredits }: TierChange): Promise<boolean> {
    // Credits that are due for the previous tier are granted before the tier changes.
    await sql`SELECT settle_grants(${id}::uuid, ${TIER_LIMITS.free.creditsPerMonth}::bigint), pause_paid_months(${id}::uuid)
    `.execute(this.#database)
    // Setting `free` removes paid months; every other tier pauses them until it ends.
    if (tier === 'free') await this.#database.deleteFrom('paid_months').where('account_id', '=', id).execute()
    const { numUpdatedRows } = await this.#database
      .updateTable('accounts')
      .set({
        tier,
        tier_since: sql<Date>`now()`,
        tier_expires_at: months === undefined ? instantOf(expiresAtMs) : inMonths(months),
        monthly_credits: monthlyCredits,
        next_grant_at: '-infinity',
      })
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }

  async #list(choose: (rows: NamedRows) => NamedRows): Promise<NamedAccount[]> {
    const all = this.#database.selectFrom('accounts').selectAll().select(sql<string>`tier_of(accounts)`.as('tier_now'))
    const rows = await choose(all).orderBy('created_at').orderBy('id').execute()
    return rows.map((row) => ({ ...accountOf(row), name: row.name }))
  }
}

function instantOf(atMs: number | undefined): Date | null {
  return atMs === undefined ? null : new Date(atMs)
}

/** Computed like the monthly grants, so that no grant falls on the end of the tier. */
function inMonths(months: number): RawBuilder<Date> {
  return sql<Date>`(now() AT TIME ZONE 'UTC' + make_interval(months => ${months}::integer)) AT TIME ZONE 'UTC'`
}

export function tierIn(text: string): Tier {
  if (!isTier(text)) throw new TypeError(`PostgreSQL has an unknown tier: ${text}`)
  return text
}

function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    tier: tierIn(row.tier_now),
    tierSinceMs: row.tier_since.getTime(),
    ...(row.tier_expires_at && { tierExpiresAtMs: row.tier_expires_at.getTime() }),
    ...(row.next_grant_at instanceof Date && { nextGrantAtMs: row.next_grant_at.getTime() }),
    isArranged: row.tier_now !== 'free' && row.months_from === null,
    balance: Number(row.balance),
    createdAtMs: row.created_at.getTime(),
  }
}

import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { isTier, TIER_LIMITS, type Tier } from '../../domain/tier.ts'
import type { Database, Tables } from '../engines/postgres-database.ts'
import type { AccountTables } from './postgres-account-tables.ts'

export interface Account {
  readonly id: string
  readonly name: string
  /** The one that holds now: an expired one is free. */
  readonly tier: Tier
  /** When the tier began, and when it ends if it does. */
  readonly tierSinceMs: number
  readonly tierExpiresAtMs?: number
  /** When credits are granted again; undefined before the first grant. */
  readonly nextGrantAtMs?: number
  /** Whether the tier was given by hand and not bought. */
  readonly isArranged: boolean
  readonly balance: number
  readonly createdAtMs: number
}

export interface TierChange {
  readonly tier: Tier
  /** From now on, or until an instant; without either for ever. */
  readonly months?: number
  readonly expiresAtMs?: number
  /** Granted from the second month on; the first month's credits are granted by whoever changes the tier. */
  readonly monthlyCredits: number
}

type AccountRow = Selectable<AccountTables['accounts']> & { tier_now: string }

/** Who pays, and for which tier. Of a transaction it can be made too, to change a tier together with other things. */
export class Accounts {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async create(name: string): Promise<Account> {
    const { id } = await this.#database
      .insertInto('accounts')
      .values({ name, tier_expires_at: null })
      .returning('id')
      .executeTakeFirstOrThrow()
    const account = await this.find(id)
    if (account === undefined) throw new Error(`account ${id} is gone`)
    return account
  }

  async find(id: string): Promise<Account | undefined> {
    const row = await this.#rows().where('accounts.id', '=', id).executeTakeFirst()
    return row && accountOf(row)
  }

  /** Oldest first. */
  async list(): Promise<Account[]> {
    const rows = await this.#rows().orderBy('created_at').orderBy('accounts.id').execute()
    return rows.map(accountOf)
  }

  /** Every node hears of it. False: no such account. */
  async setTier(id: string, { tier, months, expiresAtMs, monthlyCredits }: TierChange): Promise<boolean> {
    // Months that the former tier was paid for are granted while it is still known.
    await sql`SELECT settle_grants(${id}::uuid, ${TIER_LIMITS.free.creditsPerMonth}::bigint), pause_paid_months(${id}::uuid)
    `.execute(this.#database)
    // Any other tier lets paid months wait until it ends; this one is how a human takes them back.
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

  #rows(): SelectQueryBuilder<Tables, 'accounts', AccountRow> {
    return this.#database.selectFrom('accounts').selectAll().select(sql<string>`tier_of(accounts)`.as('tier_now'))
  }
}

function instantOf(atMs: number | undefined): Date | null {
  return atMs === undefined ? null : new Date(atMs)
}

/** Counted as the monthly grants are, so that the last of them falls before the end and none on it. */
function inMonths(months: number): RawBuilder<Date> {
  return sql<Date>`(now() AT TIME ZONE 'UTC' + make_interval(months => ${months}::integer)) AT TIME ZONE 'UTC'`
}

/** The one way from stored text back to a tier. */
export function tierIn(text: string): Tier {
  if (!isTier(text)) throw new TypeError(`unknown tier in the store: ${text}`)
  return text
}

function accountOf(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    tier: tierIn(row.tier_now),
    tierSinceMs: row.tier_since.getTime(),
    ...(row.tier_expires_at && { tierExpiresAtMs: row.tier_expires_at.getTime() }),
    ...(row.next_grant_at instanceof Date && { nextGrantAtMs: row.next_grant_at.getTime() }),
    isArranged: row.tier_now !== 'free' && row.months_from === null,
    balance: Number(row.balance),
    createdAtMs: row.created_at.getTime(),
  }
}

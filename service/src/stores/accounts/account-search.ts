import { sql } from 'kysely'
import type { Tier } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'
import { tierIn } from './accounts.ts'

export interface FoundAccount {
  readonly id: string
  readonly name: string
  /** Of the people who sign in to it. */
  readonly emails: readonly string[]
  readonly tier: Tier
  /** Without monthly credits that are due and not yet added. */
  readonly balance: number
  readonly createdAtMs: number
}

interface AccountRow {
  account_id: string
  account_name: string
  emails: string[]
  tier_now: string
  credits: string
  made_at: Date
}

/** Finds accounts for operators. Each search is an event of the operator, with the accounts that were found. */
export class AccountSearch {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * At most 50 accounts with this id, or with this text in their name, an e-mail address or the preview of a key; newest
   * first.
   */
  async find(operatorId: string, text: string, most: number): Promise<FoundAccount[]> {
    const { rows } = await sql<AccountRow>`
      SELECT account_id, account_name, emails, tier_now, credits, made_at
      FROM search_accounts(${operatorId}::uuid, ${text}, ${most}::integer)
    `.execute(this.#database)
    return rows.map(({ account_id, account_name, emails, tier_now, credits, made_at }) => ({
      id: account_id,
      name: account_name,
      emails,
      tier: tierIn(tier_now),
      balance: Number(credits),
      createdAtMs: made_at.getTime(),
    }))
  }
}

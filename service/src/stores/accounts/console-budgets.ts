import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'
import { SPENT_THIS_MONTH } from './keys.ts'

/** Credits of the pages of an account. */
export interface ConsoleBudget {
  /** Per calendar month; undefined for no limit. */
  readonly creditLimit?: number
  readonly spentThisMonth: number
}

interface BudgetRow {
  readonly credit_limit: string | number | null
  readonly spent_this_month: string
}

/** What the console may spend in a calendar month, and what it has spent in this one. */
export class ConsoleBudgets {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Undefined when the account was erased. */
  async find(accountId: string): Promise<ConsoleBudget | undefined> {
    const row = await this.#database
      .selectFrom('hashless_keys')
      .select(['credit_limit', SPENT_THIS_MONTH.as('spent_this_month')])
      .where('account_id', '=', accountId)
      .where('is_console', '=', true)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return row && budgetOf(row)
  }

  /** `null` removes the limit. */
  async limit(accountId: string, creditLimit: number | null): Promise<ConsoleBudget | undefined> {
    const { rows } = await sql<BudgetRow>`
      SELECT credit_limit, ${SPENT_THIS_MONTH} AS spent_this_month
      FROM limit_console_key(${accountId}::uuid, ${creditLimit}::bigint)
    `.execute(this.#database)
    return rows[0] && budgetOf(rows[0])
  }
}

function budgetOf(row: BudgetRow): ConsoleBudget {
  return {
    ...(row.credit_limit !== null && { creditLimit: Number(row.credit_limit) }),
    spentThisMonth: Number(row.spent_this_month),
  }
}

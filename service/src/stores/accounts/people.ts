import { sql } from 'kysely'
import { TIER_LIMITS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'

/** A person of the identity provider, identified by issuer and subject. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  readonly email?: string
  readonly name?: string
}

const MAX_NAME_LENGTH = 200

/** People who signed in, and their accounts. */
export class People {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the person's account. The first sign-in creates one on the free tier with the credits of this month. */
  async signIn({ issuer, subject, email, name }: Person): Promise<{ accountId: string; isFirst: boolean }> {
    const accountName = [name, email, subject]
      .find((each) => each !== undefined && each !== '')
      ?.slice(0, MAX_NAME_LENGTH)
    const { rows } = await sql<{ of_account: string; is_first: boolean }>`
      SELECT * FROM sign_in_person(
        ${issuer}, ${subject}, ${email ?? null}, ${name ?? null}, ${accountName ?? 'someone'},
        ${TIER_LIMITS.free.creditsPerMonth}::bigint
      )`.execute(this.#database)
    const [row] = rows
    if (row === undefined) throw new Error('the SQL function returned no row')
    return { accountId: row.of_account, isFirst: row.is_first }
  }
}

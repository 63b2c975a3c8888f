import { sql } from 'kysely'
import { TIER_LIMITS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'

/** Someone as the identity provider knows them; issuer and subject together are one person for ever. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  readonly email?: string
  readonly name?: string
}

const LONGEST_NAME = 200

/** Who has signed in, and which account is theirs. */
export class People {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Their account; at the first sign-in a new one of the free tier, with this month's credits. */
  async signIn({ issuer, subject, email, name }: Person): Promise<{ accountId: string; isFirst: boolean }> {
    const accountName = [name, email, subject].find((each) => each !== undefined && each !== '')?.slice(0, LONGEST_NAME)
    const { rows } = await sql<{ of_account: string; is_first: boolean }>`
      SELECT * FROM sign_in_person(
        ${issuer}, ${subject}, ${email ?? null}, ${name ?? null}, ${accountName ?? 'someone'},
        ${TIER_LIMITS.free.creditsPerMonth}::bigint
      )`.execute(this.#database)
    const [row] = rows
    if (row === undefined) throw new Error('the database answered with nothing')
    return { accountId: row.of_account, isFirst: row.is_first }
  }
}

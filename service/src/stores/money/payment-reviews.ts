import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'

export interface PaymentReview {
  readonly id: string
  readonly at: Date
  readonly provider: string
  /** Id of our invoice, or of the processor's invoice when we have none. */
  readonly subject: string
  readonly reason: string
  readonly detail: string | null
  /** Null when we have no invoice. */
  readonly account: string | null
  readonly pack: string | null
}

/** Payments that an operator has to decide about. */
export class PaymentReviews {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Unresolved reviews, oldest first. */
  async waiting(): Promise<PaymentReview[]> {
    const { rows } = await sql<PaymentReview>`
      SELECT payment_reviews.id, at, payment_reviews.provider, subject, reason, detail, account_id AS account, pack
      FROM payment_reviews LEFT JOIN invoices ON invoices.id::text = subject
      WHERE resolved_at IS NULL ORDER BY payment_reviews.id
    `.execute(this.#database)
    return rows
  }

  /** Grants nothing: the operator grants credits separately. False when there is no unresolved review with this id. */
  async resolve(id: number, resolution: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#database
      .updateTable('payment_reviews')
      .set({ resolved_at: sql`now()`, resolution })
      .where('id', '=', String(id))
      .where('resolved_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }
}

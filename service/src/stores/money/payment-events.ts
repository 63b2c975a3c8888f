import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'

export interface PaymentEvent {
  readonly provider: string
  /** The body of the callback, unchanged. */
  readonly body: Buffer
  readonly externalId?: string
  readonly orderId?: string
  readonly paymentId?: string
}

/** Stores callbacks of payment processors and makes the payment worker check the invoice, in one statement. */
export class PaymentEvents {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** A repeated callback is only counted. A callback for an unknown invoice becomes a payment review. */
  async store({ provider, body, externalId, orderId, paymentId }: PaymentEvent): Promise<void> {
    const sha256 = createHash('sha256').update(body).digest()
    const subject = externalId ?? orderId ?? sha256.toString('hex')
    await sql`
      WITH stored AS (
        INSERT INTO payment_events (provider, sha256, body, external_id, order_id, payment_id)
        VALUES (${provider}, ${sha256}, ${body}, ${externalId ?? null}, ${orderId ?? null}, ${paymentId ?? null})
        ON CONFLICT (provider, sha256) DO UPDATE SET times = payment_events.times + 1, last_at = now()
      ), notified AS (
        UPDATE invoices SET news = news + 1, next_check_at = now()
        WHERE provider = ${provider} AND external_id IS NOT NULL
          AND (external_id = ${externalId ?? null} OR id::text = ${orderId ?? null})
        RETURNING id
      )
      INSERT INTO payment_reviews (provider, subject, reason)
      SELECT ${provider}, ${subject}, 'unknown_invoice' WHERE NOT EXISTS (SELECT FROM notified)
      ON CONFLICT DO NOTHING
    `.execute(this.#database)
  }
}

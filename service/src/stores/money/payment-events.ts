import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'

export interface PaymentEvent {
  readonly provider: string
  /** As it came, without the signature. */
  readonly body: Buffer
  readonly externalId?: string
  readonly orderId?: string
  readonly paymentId?: string
}

/** Callbacks as they came, and the word to the worker that there is news of an invoice: both or neither. */
export class PaymentEvents {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The same again is counted. News of an invoice that we don't know is for a human. One round trip. */
  async store({ provider, body, externalId, orderId, paymentId }: PaymentEvent): Promise<void> {
    const sha256 = createHash('sha256').update(body).digest()
    const subject = externalId ?? orderId ?? sha256.toString('hex')
    await sql`
      WITH stored AS (
        INSERT INTO payment_events (provider, sha256, body, external_id, order_id, payment_id)
        VALUES (${provider}, ${sha256}, ${body}, ${externalId ?? null}, ${orderId ?? null}, ${paymentId ?? null})
        ON CONFLICT (provider, sha256) DO UPDATE SET times = payment_events.times + 1, last_at = now()
      ), told AS (
        UPDATE invoices SET news = news + 1, next_check_at = now()
        WHERE provider = ${provider} AND external_id IS NOT NULL
          AND (external_id = ${externalId ?? null} OR id::text = ${orderId ?? null})
        RETURNING id
      )
      INSERT INTO payment_reviews (provider, subject, reason)
      SELECT ${provider}, ${subject}, 'unknown_invoice' WHERE NOT EXISTS (SELECT FROM told)
      ON CONFLICT DO NOTHING
    `.execute(this.#database)
  }
}

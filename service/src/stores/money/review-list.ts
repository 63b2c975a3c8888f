import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../engines/postgres-database.ts'

/** A state that the processor reported in a callback. */
export interface ReportedState {
  readonly firstAtMs: number
  readonly lastAtMs: number
  /** How often the same callback came. */
  readonly times: number
  readonly paymentId: string | null
  /** As the processor sent it. */
  readonly body: string
}

export interface OpenReview {
  readonly id: string
  readonly atMs: number
  readonly provider: string
  readonly subject: string
  readonly reason: string
  readonly detail: string | null
  /** Undefined when we have no such invoice. */
  readonly invoice: ReviewedInvoice | undefined
  /** Newest first. */
  readonly reported: readonly ReportedState[]
}

export interface ReviewedInvoice {
  readonly id: string
  readonly accountId: string
  readonly pack: string
  readonly state: string
  readonly priceUsd: number
  readonly createdAtMs: number
  readonly currency: string | null
  readonly amountDue: string | null
  readonly amountReceived: string | null
}

interface ReviewRow {
  id: string
  at: Date
  provider: string
  subject: string
  reason: string
  detail: string | null
  invoice_id: string | null
  account_id: string
  pack: string
  state: string
  price_usd: string
  created_at: Date
  asked_currency: string | null
  amount_due: string | null
  amount_received: string | null
}

interface StateRow {
  review: string
  first_at: Date
  last_at: Date
  times: string
  payment_id: string | null
  body: Buffer
}

const MOST_STATES = 20

/** The subject of a review as the type of an indexed column; null when it is something else. */
const SUBJECT_AS_INVOICE = sql`CASE WHEN subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN subject::uuid END`
const SUBJECT_AS_HASH = sql`CASE WHEN subject ~ '^[0-9a-f]{64}$' THEN decode(subject, 'hex') END`

/** One question for each index: a condition with OR reads all events, and strangers can cause many. */
function newestEvents(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(SELECT events.id FROM payment_events AS events
    WHERE events.provider = reviews.provider AND events.${condition} ORDER BY events.id DESC LIMIT ${MOST_STATES})`
}

/** Open payment reviews with everything that is recorded about them. */
export class ReviewList {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Oldest first. */
  async open(most: number): Promise<OpenReview[]> {
    const { rows } = await sql<ReviewRow>`
      SELECT reviews.id, reviews.at, reviews.provider, subject, reason, detail, invoices.id AS invoice_id, account_id,
        pack, state, price_usd, invoices.created_at, asked_currency, amount_due, amount_received
      FROM payment_reviews AS reviews
        LEFT JOIN invoices ON invoices.id = ${SUBJECT_AS_INVOICE}
      WHERE resolved_at IS NULL ORDER BY reviews.id LIMIT ${most}
    `.execute(this.#database)
    const states = await this.#reported(rows.map(({ id }) => id))
    return rows.map(({ at, invoice_id, ...row }) => ({
      id: row.id,
      atMs: at.getTime(),
      provider: row.provider,
      subject: row.subject,
      reason: row.reason,
      detail: row.detail,
      invoice: invoice_id === null ? undefined : invoiceOf(invoice_id, row),
      reported: (states.get(row.id) ?? []).map(stateOf),
    }))
  }

  async #reported(reviews: readonly string[]): Promise<Map<string, StateRow[]>> {
    const { rows } = await sql<StateRow>`
      SELECT reviews.id AS review, first_at, last_at, times, payment_id, body
      FROM payment_reviews AS reviews
        LEFT JOIN invoices ON invoices.id = ${SUBJECT_AS_INVOICE}
        CROSS JOIN LATERAL (
          ${newestEvents(sql`external_id = subject`)}
          UNION ${newestEvents(sql`external_id = invoices.external_id`)}
          UNION ${newestEvents(sql`order_id = subject`)}
          UNION ${newestEvents(sql`sha256 = ${SUBJECT_AS_HASH}`)}
          ORDER BY id DESC LIMIT ${MOST_STATES}
        ) AS newest
        JOIN payment_events AS reported ON reported.id = newest.id
      WHERE reviews.id = ANY(${reviews}::bigint[]) ORDER BY reported.id DESC
    `.execute(this.#database)
    return Map.groupBy(rows, ({ review }) => review)
  }
}

function invoiceOf(id: string, row: Omit<ReviewRow, 'invoice_id' | 'at'>): ReviewedInvoice {
  return {
    id,
    accountId: row.account_id,
    pack: row.pack,
    state: row.state,
    priceUsd: Number(row.price_usd),
    createdAtMs: row.created_at.getTime(),
    currency: row.asked_currency,
    amountDue: row.amount_due,
    amountReceived: row.amount_received,
  }
}

function stateOf({ first_at, last_at, times, payment_id, body }: StateRow): ReportedState {
  return {
    firstAtMs: first_at.getTime(),
    lastAtMs: last_at.getTime(),
    times: Number(times),
    paymentId: payment_id,
    body: body.toString('utf8'),
  }
}

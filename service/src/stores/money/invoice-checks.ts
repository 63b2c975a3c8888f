import { sql } from 'kysely'
import {
  type CheckIntervals,
  type ExpectedPayment,
  type InvoiceState,
  type Move,
  moveInvoice,
  nextCheckInMs,
  type ObservedPayment,
  type PayerRequest,
} from '../../domain/invoice.ts'
import { TIER_LIMITS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'
import { CreditLedger } from './credit-ledger.ts'
import { stateIn } from './invoices.ts'

/** An invoice that is due for a check at its processor. */
export interface DueInvoice {
  readonly id: string
  readonly accountId: string
  readonly provider: string
  readonly externalId: string
  /** Payments named in callbacks. */
  readonly paymentIds: readonly string[]
  readonly payCurrency?: string
  /** Number of callbacks when it was taken. */
  readonly news: string
}

export interface Settled {
  readonly from: InvoiceState
  readonly to: InvoiceState
  readonly granted: boolean
}

interface DueRow {
  id: string
  account_id: string
  provider: string
  external_id: string
  pay_currency: string | null
  news: string
}

const MAX_PAYMENTS = 50
const MAX_BACK_OFF_MS = 300_000

/** Takes invoices that are due for a check, stores the result, and grants paid packs exactly once. */
export class InvoiceChecks {
  readonly #database: Database
  readonly #intervals: CheckIntervals

  constructor(database: Database, intervals: CheckIntervals) {
    this.#database = database
    this.#intervals = intervals
  }

  /** Takes due invoices, each for one worker. An invoice that is not settled within `forMs` is taken again. */
  async take(providers: readonly string[], count: number, forMs: number): Promise<DueInvoice[]> {
    const { rows } = await sql<DueRow>`
      UPDATE invoices SET next_check_at = now() + ${forMs} * interval '1 millisecond'
      WHERE id IN (
        SELECT id FROM invoices
        WHERE next_check_at <= now() AND external_id IS NOT NULL AND provider = ANY(${providers}::text[])
        ORDER BY next_check_at LIMIT ${count} FOR UPDATE SKIP LOCKED
      )
      RETURNING id, account_id, provider, external_id, pay_currency, news
    `.execute(this.#database)
    return Promise.all(
      rows.map(async ({ id, account_id, provider, external_id, pay_currency, news }) => ({
        id,
        accountId: account_id,
        provider,
        externalId: external_id,
        paymentIds: await this.#paymentIds(provider, external_id, id),
        ...(pay_currency !== null && { payCurrency: pay_currency }),
        news,
      })),
    )
  }

  /** Stores state, credits, tier and review in one transaction. Repeated calls grant once. */
  settle(invoice: DueInvoice, payment: ObservedPayment | undefined): Promise<Settled> {
    return this.#database.transaction().execute(async (transaction) => {
      // `Invoices.begin` locks in the same order: first the account, then the invoice.
      await sql`SELECT 1 FROM accounts WHERE id = ${invoice.accountId} FOR NO KEY UPDATE`.execute(transaction)
      const row = await transaction
        .selectFrom('invoices')
        .selectAll()
        .select([
          sql<boolean>`expires_at <= now()`.as('is_over'),
          sql<number>`(extract(epoch FROM now() - created_at) * 1000)::float8`.as('age_ms'),
        ])
        .where('id', '=', invoice.id)
        .forUpdate()
        .executeTakeFirstOrThrow()
      const from = stateIn(row.state)
      const expected: ExpectedPayment = { orderId: row.id, priceUsd: Number(row.price_usd), isOver: row.is_over }
      const move = moveInvoice(from, expected, payment)
      const waitMs = nextCheckInMs(move.state, row.age_ms, this.#intervals)
      const later = waitMs === undefined ? sql<null>`NULL` : sql<Date>`now() + ${waitMs} * interval '1 millisecond'`
      await transaction
        .updateTable('invoices')
        .set({
          state: move.state,
          failed_checks: 0,
          // A callback that arrived during the check makes the invoice due at once.
          next_check_at: sql<Date>`CASE WHEN news = ${invoice.news}::bigint THEN ${later} ELSE now() END`,
          ...(move.grants && { paid_at: sql<Date>`now()` }),
          ...(move.state === 'refunded' && from !== 'refunded' && { refunded_at: sql<Date>`now()` }),
          ...(payment?.request && amountsOf(payment.request)),
        })
        .where('id', '=', invoice.id)
        .execute()
      const granted =
        move.grants && (await grantCredits(transaction, invoice, { credits: Number(row.credits), pack: row.pack }))
      if (granted && row.tier !== null) await grantMonths(transaction, invoice)
      await updateReviews(transaction, invoice, move, payment)
      return { from, to: move.state, granted }
    })
  }

  /** After a failed check: retries with exponential back-off. */
  async postpone({ id }: DueInvoice): Promise<void> {
    await sql`
      UPDATE invoices SET failed_checks = failed_checks + 1,
        next_check_at = now() + least(${MAX_BACK_OFF_MS}, 1000 * 2 ^ least(failed_checks, 20)) * interval '1 millisecond'
      WHERE id = ${id}
    `.execute(this.#database)
  }

  async #paymentIds(provider: string, externalId: string, orderId: string): Promise<string[]> {
    const { rows } = await sql<{ payment_id: string }>`
      SELECT DISTINCT payment_id FROM payment_events
      WHERE provider = ${provider} AND (external_id = ${externalId} OR order_id = ${orderId}) AND payment_id IS NOT NULL
      LIMIT ${MAX_PAYMENTS}
    `.execute(this.#database)
    return rows.map(({ payment_id }) => payment_id)
  }
}

function amountsOf({ currency, amountDue, amountReceived, address, memo, uri }: PayerRequest) {
  return {
    asked_currency: currency,
    amount_due: amountDue,
    amount_received: amountReceived,
    pay_address: address ?? null,
    pay_memo: memo ?? null,
    payment_uri: uri ?? null,
  }
}

/** False when the ledger already has this payment. */
function grantCredits(
  transaction: Database,
  { accountId, provider, externalId }: DueInvoice,
  { credits, pack }: { credits: number; pack: string },
): Promise<boolean> {
  const idem = `pay:${provider}:${externalId}`
  return new CreditLedger(transaction).grant({ accountId, credits, kind: 'payment', idem, note: pack })
}

async function grantMonths(transaction: Database, { id, provider }: DueInvoice): Promise<void> {
  const { rows } = await sql<{ is_arranged: boolean }>`
    SELECT add_paid_months(${id}::uuid, ${TIER_LIMITS.free.creditsPerMonth}::bigint) AS is_arranged
  `.execute(transaction)
  if (rows[0]?.is_arranged) await addReview(transaction, { provider, subject: id, reason: 'tier_arranged' })
}

/** Adds one review per reason; a payment that is complete resolves the earlier ones. */
async function updateReviews(
  transaction: Database,
  { id, provider }: DueInvoice,
  { grants, review: reason }: Move,
  payment: ObservedPayment | undefined,
): Promise<void> {
  if (grants) {
    await sql`
      UPDATE payment_reviews SET resolved_at = now()
      WHERE provider = ${provider} AND subject = ${id} AND resolved_at IS NULL
        AND reason IN ('unknown_status', 'underpaid', 'paid_late', 'failed_with_money')
    `.execute(transaction)
  }
  if (reason === undefined || payment === undefined) return
  const { word, price, received, doubt } = payment
  const detail = JSON.stringify({ word, price, received, doubt })
  await addReview(transaction, { provider, subject: id, reason, detail })
}

async function addReview(
  transaction: Database,
  row: { provider: string; subject: string; reason: string; detail?: string },
): Promise<void> {
  await transaction
    .insertInto('payment_reviews')
    .values({ detail: null, ...row, resolved_at: null, resolution: null })
    .onConflict((conflict) => conflict.columns(['provider', 'subject', 'reason']).doNothing())
    .execute()
}

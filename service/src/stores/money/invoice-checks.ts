import { sql } from 'kysely'
import {
  type AskedPrice,
  type CheckIntervals,
  type InvoiceState,
  type Move,
  moveInvoice,
  nextCheckInMs,
  type Sighting,
} from '../../domain/invoice.ts'
import { TIER_LIMITS } from '../../domain/tier.ts'
import type { Database } from '../engines/postgres-database.ts'
import { CreditLedger } from './credit-ledger.ts'
import { stateIn } from './invoices.ts'

/** An invoice whose processor is to be asked. */
export interface DueInvoice {
  readonly id: string
  readonly accountId: string
  readonly provider: string
  readonly externalId: string
  /** Payments that callbacks told of. */
  readonly paymentIds: readonly string[]
  /** Callbacks counted when it was taken. */
  readonly news: string
}

export interface Settled {
  readonly from: InvoiceState
  readonly to: InvoiceState
  readonly granted: boolean
}

/** Most payments of one invoice that are asked for. */
const MOST_PAYMENTS = 50
const LONGEST_WAIT_MS = 300_000

/** Where invoices are asked about again, and where what was paid is given: once, with everything that belongs to it. */
export class InvoiceChecks {
  readonly #database: Database
  readonly #intervals: CheckIntervals

  constructor(database: Database, intervals: CheckIntervals) {
    this.#database = database
    this.#intervals = intervals
  }

  /** Takes some that are due, each for one worker. Whoever ends before he has settled one leaves it to the next. */
  async take(providers: readonly string[], count: number, forMs: number): Promise<DueInvoice[]> {
    const { rows } = await sql<{ id: string; account_id: string; provider: string; external_id: string; news: string }>`
      UPDATE invoices SET next_check_at = now() + ${forMs} * interval '1 millisecond'
      WHERE id IN (
        SELECT id FROM invoices
        WHERE next_check_at <= now() AND external_id IS NOT NULL AND provider = ANY(${providers}::text[])
        ORDER BY next_check_at LIMIT ${count} FOR UPDATE SKIP LOCKED
      )
      RETURNING id, account_id, provider, external_id, news
    `.execute(this.#database)
    return Promise.all(
      rows.map(async ({ id, account_id, provider, external_id, news }) => ({
        id,
        accountId: account_id,
        provider,
        externalId: external_id,
        paymentIds: await this.#paymentIds(provider, external_id, id),
        news,
      })),
    )
  }

  /** State, credits, tier and the word to a human in one transaction. However often it is called, it gives once. */
  settle(invoice: DueInvoice, seen: Sighting | undefined): Promise<Settled> {
    return this.#database.transaction().execute(async (transaction) => {
      // Always the account before the invoice, as whoever begins one does.
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
      const asked: AskedPrice = { orderId: row.id, priceUsd: Number(row.price_usd), isOver: row.is_over }
      const move = moveInvoice(from, asked, seen)
      const waitMs = nextCheckInMs(move.state, row.age_ms, this.#intervals)
      const later = waitMs === undefined ? sql<null>`NULL` : sql<Date>`now() + ${waitMs} * interval '1 millisecond'`
      await transaction
        .updateTable('invoices')
        .set({
          state: move.state,
          failed_checks: 0,
          // What was heard of meanwhile is asked for at once.
          next_check_at: sql<Date>`CASE WHEN news = ${invoice.news}::bigint THEN ${later} ELSE now() END`,
          ...(move.grants && { paid_at: sql<Date>`now()` }),
        })
        .where('id', '=', invoice.id)
        .execute()
      const granted =
        move.grants && (await give(transaction, invoice, { credits: Number(row.credits), pack: row.pack }))
      if (granted && row.tier !== null) await giveMonths(transaction, invoice)
      await review(transaction, invoice, move, seen)
      return { from, to: move.state, granted }
    })
  }

  /** The processor did not answer: again soon, and then less and less often. */
  async postpone({ id }: DueInvoice): Promise<void> {
    await sql`
      UPDATE invoices SET failed_checks = failed_checks + 1,
        next_check_at = now() + least(${LONGEST_WAIT_MS}, 1000 * 2 ^ least(failed_checks, 20)) * interval '1 millisecond'
      WHERE id = ${id}
    `.execute(this.#database)
  }

  async #paymentIds(provider: string, externalId: string, orderId: string): Promise<string[]> {
    const { rows } = await sql<{ payment_id: string }>`
      SELECT DISTINCT payment_id FROM payment_events
      WHERE provider = ${provider} AND (external_id = ${externalId} OR order_id = ${orderId}) AND payment_id IS NOT NULL
      LIMIT ${MOST_PAYMENTS}
    `.execute(this.#database)
    return rows.map(({ payment_id }) => payment_id)
  }
}

/** False when it was given before: the ledger's word, whatever the invoice says. */
function give(
  transaction: Database,
  { accountId, provider, externalId }: DueInvoice,
  { credits, pack }: { credits: number; pack: string },
): Promise<boolean> {
  const idem = `pay:${provider}:${externalId}`
  return new CreditLedger(transaction).grant({ accountId, credits, kind: 'payment', idem, note: pack })
}

async function giveMonths(transaction: Database, { id, provider }: DueInvoice): Promise<void> {
  const { rows } = await sql<{ is_arranged: boolean }>`
    SELECT add_paid_months(${id}::uuid, ${TIER_LIMITS.free.creditsPerMonth}::bigint) AS is_arranged
  `.execute(transaction)
  if (rows[0]?.is_arranged) await addReview(transaction, { provider, subject: id, reason: 'tier_arranged' })
}

/** A human is told once for each reason; what has come right by itself needs none. */
async function review(
  transaction: Database,
  { id, provider }: DueInvoice,
  { grants, review: reason }: Move,
  seen: Sighting | undefined,
): Promise<void> {
  if (grants) {
    await sql`
      UPDATE payment_reviews SET resolved_at = now()
      WHERE provider = ${provider} AND subject = ${id} AND resolved_at IS NULL
        AND reason IN ('unknown_status', 'underpaid', 'paid_late', 'failed_with_money')
    `.execute(transaction)
  }
  if (reason === undefined || seen === undefined) return
  const { word, price, received } = seen
  const detail = JSON.stringify({ word, price, received })
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

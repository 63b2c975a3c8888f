import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { INVOICE_STATES, type InvoiceState, type PayerRequest } from '../../domain/invoice.ts'
import type { Pack } from '../../domain/packs.ts'
import type { Tier } from '../../domain/tier.ts'
import { tierIn } from '../accounts/accounts.ts'
import type { AccountTables } from '../accounts/postgres-account-tables.ts'
import type { Database, Tables } from '../engines/postgres-database.ts'

export interface Invoice {
  readonly id: string
  readonly accountId: string
  readonly provider: string
  readonly externalId?: string
  /** Payment page of the processor. */
  readonly url?: string
  readonly pack: string
  readonly payCurrency?: string
  readonly priceUsd: number
  readonly state: InvoiceState
  readonly createdAtMs: number
  readonly expiresAtMs: number
  readonly paidAtMs?: number
  /** When the processor first reported it; undefined for refunds before this was stored. */
  readonly refundedAtMs?: number
  /** As the processor reported it last. */
  readonly request?: PayerRequest
}

/** Paid months of a tier that follow another one. */
export interface WaitingTier {
  readonly tier: Tier
  readonly fromMs?: number
  readonly untilMs?: number
}

export interface NewInvoice {
  readonly accountId: string
  readonly provider: string
  readonly pack: Pack
  readonly payCurrency?: string
  /** A second request with the same key returns the same invoice. */
  readonly idempotencyKey?: string
  readonly lifeMinutes: number
}

export type Begun =
  | { readonly outcome: 'begun' | 'known'; readonly invoice: Invoice }
  /** The idempotency key was used for another request. */
  | { readonly outcome: 'mismatch' }
  | { readonly outcome: 'too_many_unpaid' | 'too_many_lately' }

type InvoiceRow = Selectable<AccountTables['invoices']>

export class Invoices {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Stores the invoice before it is created at the processor. Without an external id it may be created again. */
  async begin({ accountId, provider, pack, payCurrency, idempotencyKey, lifeMinutes }: NewInvoice): Promise<Begun> {
    const { rows } = await sql<{ outcome: Begun['outcome']; invoice_id: string }>`
      SELECT * FROM begin_invoice(
        ${accountId}::uuid, ${provider}, ${pack.id}, ${payCurrency ?? null}, ${idempotencyKey ?? null},
        ${lifeMinutes}::integer
      )`.execute(this.#database)
    const [row] = rows
    if (row === undefined) throw new Error('the SQL function returned no row')
    const { outcome, invoice_id: id } = row
    if (outcome !== 'begun' && outcome !== 'known') return { outcome }
    return { outcome, invoice: invoiceOf(await rowsIn(this.#database).where('id', '=', id).executeTakeFirstOrThrow()) }
  }

  /** Stores the processor's invoice. If a concurrent request stored one first, that one stays. */
  async attach(
    id: string,
    made: { readonly externalId: string; readonly url: string },
    firstCheckMs: number,
  ): Promise<Invoice> {
    await this.#database
      .updateTable('invoices')
      .set({
        external_id: made.externalId,
        url: made.url,
        state: 'open',
        next_check_at: sql<Date>`now() + ${firstCheckMs} * interval '1 millisecond'`,
      })
      .where('id', '=', id)
      .where('external_id', 'is', null)
      .execute()
    return invoiceOf(await rowsIn(this.#database).where('id', '=', id).executeTakeFirstOrThrow())
  }

  /** The processor created no invoice, so this one no longer counts as unpaid. */
  async giveUp(id: string): Promise<void> {
    await this.#database
      .updateTable('invoices')
      .set({ state: 'failed' })
      .where('id', '=', id)
      .where('state', '=', 'creating')
      .where('external_id', 'is', null)
      .execute()
  }

  /** Expires invoices whose process ended before the processor created them. Returns how many. */
  async giveUpUnmade(olderThanMs: number): Promise<number> {
    const { numUpdatedRows } = await this.#database
      .updateTable('invoices')
      .set({ state: 'expired' })
      .where('state', '=', 'creating')
      .where('external_id', 'is', null)
      .where(sql<boolean>`created_at < now() - ${olderThanMs} * interval '1 millisecond'`)
      .executeTakeFirstOrThrow()
    return Number(numUpdatedRows)
  }

  /** Deletes, after a day, invoices that the processor did not create. */
  async deleteFailed(): Promise<void> {
    await sql`SELECT delete_failed_invoices()`.execute(this.#database)
  }

  /** The invoice that paid for the current tier; undefined when the tier was not bought. */
  async running(accountId: string): Promise<Pick<Invoice, 'provider' | 'pack'> | undefined> {
    return this.#database
      .selectFrom('paid_months')
      .innerJoin('invoices', 'invoices.id', 'paid_months.invoice_id')
      .innerJoin('nameless_accounts as accounts', 'accounts.id', 'paid_months.account_id')
      .select(['invoices.provider', 'invoices.pack'])
      .where('accounts.id', '=', accountId)
      .where('accounts.months_from', 'is not', null)
      .whereRef('paid_months.tier', '=', 'accounts.tier')
      .orderBy('paid_months.id')
      .executeTakeFirst()
  }

  /**
   * Paid months that are not used yet, as they will follow the current tier: the best first. Without times while a
   * tier runs that has no end.
   */
  async waiting(accountId: string): Promise<WaitingTier[]> {
    const { rows } = await sql<{ tier: string; from: Date | null; until: Date | null }>`
      SELECT tier, until - in_ms(left_ms) AS from, until FROM (
        SELECT paid_months.tier, sum(left_ms) AS left_ms,
          accounts.tier_expires_at + in_ms(sum(sum(left_ms)) OVER (ORDER BY tier_rank(paid_months.tier) DESC)) AS until
        FROM paid_months JOIN nameless_accounts AS accounts ON accounts.id = account_id
        WHERE account_id = ${accountId}::uuid AND (months_from IS NULL OR paid_months.tier <> accounts.tier)
        GROUP BY paid_months.tier, accounts.tier_expires_at
      ) AS waiting ORDER BY tier_rank(tier) DESC
    `.execute(this.#database)
    return rows.map(({ tier, from, until }) => ({
      tier: tierIn(tier),
      ...(from !== null && { fromMs: from.getTime() }),
      ...(until !== null && { untilMs: until.getTime() }),
    }))
  }

  async find(id: string, accountId: string): Promise<Invoice | undefined> {
    const row = await rowsIn(this.#database).where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst()
    return row && invoiceOf(row)
  }

  /** The newest first. */
  async list(
    accountId: string,
    { limit, afterId }: { readonly limit: number; readonly afterId?: string | undefined },
  ): Promise<Invoice[]> {
    const own = rowsIn(this.#database).where('account_id', '=', accountId)
    const isAfter = sql<boolean>`(created_at, id) < (SELECT created_at, id FROM invoices WHERE id = ${afterId})`
    const rows = await (afterId === undefined ? own : own.where(isAfter))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map(invoiceOf)
  }
}

function rowsIn(database: Database): SelectQueryBuilder<Tables, 'invoices', InvoiceRow> {
  return database.selectFrom('invoices').selectAll()
}

export function stateIn(text: string): InvoiceState {
  const state = INVOICE_STATES.find((each) => each === text)
  if (state === undefined) throw new TypeError(`PostgreSQL has an unknown invoice state: ${text}`)
  return state
}

function invoiceOf(row: InvoiceRow): Invoice {
  return {
    id: row.id,
    accountId: row.account_id,
    provider: row.provider,
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...(row.url !== null && { url: row.url }),
    pack: row.pack,
    ...(row.pay_currency !== null && { payCurrency: row.pay_currency }),
    priceUsd: Number(row.price_usd),
    state: stateIn(row.state),
    createdAtMs: row.created_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
    ...(row.paid_at && { paidAtMs: row.paid_at.getTime() }),
    ...(row.refunded_at && { refundedAtMs: row.refunded_at.getTime() }),
    ...requestIn(row),
  }
}

function requestIn(row: InvoiceRow): { request?: PayerRequest } {
  const { asked_currency: currency, amount_due: amountDue, amount_received: amountReceived } = row
  if (currency === null || amountDue === null || amountReceived === null) return {}
  return {
    request: {
      currency,
      amountDue,
      amountReceived,
      ...(row.pay_address !== null && { address: row.pay_address }),
      ...(row.pay_memo !== null && { memo: row.pay_memo }),
      ...(row.payment_uri !== null && { uri: row.payment_uri }),
    },
  }
}

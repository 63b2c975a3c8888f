import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { CHECK_INTERVALS } from '../../domain/invoice.ts'
import { type Pack, packById } from '../../domain/packs.ts'
import type { Processor } from '../../payments/processor.ts'
import { ProcessorAway, ProcessorRefusal } from '../../payments/processor-http.ts'
import type { Invoice } from '../../stores/money/invoices.ts'
import { endpoint } from '../endpoint.ts'
import { invalidParameter } from '../schemas/read-values.ts'
import type { Stores } from '../stores.ts'
import { InvoiceEntry, invoiceEntryOf, PACK_IDS } from './invoice-entry.ts'
import { signedIn } from './signed-in.ts'

const LIFE_MINUTES = 60
/** Both are those of the SQL function `begin_invoice`. */
const MAX_UNPAID = 5
const MAX_AN_HOUR = 20
const RETRY_SECONDS = 5

const InvoiceRequest = z
  .strictObject({
    pack: z.enum(PACK_IDS).describe('`id` of a pack'),
    currency: z
      .string()
      .regex(/^[A-Za-z0-9-]{2,20}$/, 'must be the short name of a coin, such as btc')
      .optional()
      .describe(
        'coin to pay with, one of `/v1/payments/currencies`; default: the payer chooses it on the payment page',
      ),
  })
  .meta({ id: 'InvoiceRequest' })

export const createInvoice = endpoint({
  method: 'POST',
  path: '/v1/payments/create-invoice',
  name: 'create_invoice',
  group: 'Account',
  summary: 'Buy a pack: create an invoice at the payment processor',
  description:
    'A higher tier starts when the invoice is paid, the same tier is extended, and a lower tier starts after the current one; no paid day is lost.',
  access: { by: 'session' },
  idempotency:
    'Makes retries safe: a request that is repeated with the same key returns the invoice of the first one. With another pack or currency it is refused (`idempotency_mismatch`).',
  requestBody: InvoiceRequest,
  reply: InvoiceEntry,
  errors: [
    'plan_arranged',
    'invoice_limit_reached',
    'idempotency_mismatch',
    'payments_not_configured',
    'processor_unavailable',
  ],

  async handle({ body, stores, signal, idempotencyKey, ...request }) {
    const { accountId } = signedIn(request).user
    const processor = stores.processors.active
    if (processor === undefined) {
      throw new ApiError('payments_not_configured', 'Payments are not available: no payment processor is configured.')
    }
    const pack = packById(body.pack)
    if (pack === undefined) throw new TypeError(`unknown pack: ${body.pack}`)
    await requireOwnPlan(stores, accountId, pack)
    const payCurrency = body.currency?.toLowerCase()
    if (payCurrency !== undefined) await requireCoin(stores, payCurrency, request.nowMs)
    const begun = await stores.invoices.begin({
      accountId,
      provider: processor.name,
      pack,
      ...(payCurrency !== undefined && { payCurrency }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      lifeMinutes: LIFE_MINUTES,
    })
    switch (begun.outcome) {
      case 'mismatch':
        throw new ApiError(
          'idempotency_mismatch',
          'This Idempotency-Key was used for a different request. Use a new key.',
        )
      case 'too_many_unpaid':
        throw invoiceLimitReached(
          `This account has ${MAX_UNPAID} unpaid invoices already. Pay one or wait until one expires.`,
          { most_open: MAX_UNPAID },
        )
      case 'too_many_lately':
        throw invoiceLimitReached(
          `This account has tried to create ${MAX_AN_HOUR} invoices within an hour. Try again in an hour.`,
          { most_an_hour: MAX_AN_HOUR },
        )
      case 'known':
        return { body: invoiceEntryOf(begun.invoice) }
      case 'begun':
        return { body: invoiceEntryOf(await make(stores, processor, begun.invoice, signal)) }
    }
  },
})

/** A tier that an operator set is not changed by a purchase. */
async function requireOwnPlan({ accounts }: Stores, accountId: string, { tier }: Pack): Promise<void> {
  if (tier === null) return
  const account = await accounts.find(accountId)
  if (account?.isArranged) {
    throw new ApiError(
      'plan_arranged',
      `The ${account.tier} tier of this account was set by the operator. Contact support to change it.`,
    )
  }
}

/** The processor is not asked about coins that it does not list: too many refused requests could block us there. */
async function requireCoin({ currencies }: Stores, coin: string, nowMs: number): Promise<void> {
  try {
    if ((await currencies.read(nowMs)).value.includes(coin)) return
  } catch (error) {
    if (!(error instanceof ProcessorAway || error instanceof ProcessorRefusal)) throw error
    throw processorUnavailable(error)
  }
  throw invalidParameter(
    'currency',
    'is not accepted by the payment processor; /v1/payments/currencies lists its coins',
  )
}

function invoiceLimitReached(message: string, details: Record<string, number>): ApiError {
  return new ApiError('invoice_limit_reached', message, { details })
}

async function make(
  { invoices }: Stores,
  processor: Processor,
  { id, pack, priceUsd, payCurrency }: Invoice,
  signal: AbortSignal,
): Promise<Invoice> {
  try {
    const made = await processor.createInvoice(
      {
        orderId: id,
        priceUsd,
        description: `Bookreel ${pack}`,
        ...(payCurrency !== undefined && { payCurrency }),
        lifeMinutes: LIFE_MINUTES,
      },
      signal,
    )
    return await invoices.attach(id, made, CHECK_INTERVALS.firstMs)
  } catch (error) {
    if (!(error instanceof ProcessorAway || error instanceof ProcessorRefusal)) throw error
    // An invoice without a payment page must not count as unpaid. If this fails too, the worker cancels it later.
    await invoices.giveUp(id)
    if (
      error instanceof ProcessorRefusal &&
      (error.status === 400 || error.status === 422) &&
      payCurrency !== undefined
    ) {
      throw invalidParameter('currency', 'is not accepted by the payment processor')
    }
    throw processorUnavailable(error)
  }
}

function processorUnavailable(cause: unknown): ApiError {
  return new ApiError(
    'processor_unavailable',
    'The payment processor is not available. No invoice was created. Try again in a few seconds.',
    { cause, retryAfterSeconds: RETRY_SECONDS },
  )
}

import { z } from 'zod'
import type { ObservedPayment, PayerRequest, PaymentDoubt } from '../domain/invoice.ts'
import { readCallbackBody } from './callback-body.ts'
import { decimalText } from './decimal-text.ts'
import type { CallbackHint, InvoiceOrder, KnownInvoice, MadeInvoice, Processor, ProcessorKind } from './processor.ts'
import { ProcessorHttp, ProcessorRefusal } from './processor-http.ts'
import { isSignedWith } from './signature.ts'

export interface NowPaymentsOptions {
  /** Address with the version, such as `https://api.nowpayments.io/v1`. */
  readonly url: string
  readonly apiKey: string
  /** The current one and the previous one. */
  readonly secrets: readonly string[]
  readonly callbackUrl: string
  /** Where NOWPayments sends the payer after the payment. */
  readonly returnUrl: string
  readonly answerWithinMs?: number
}

/** Ids and amounts are numbers in some replies and text in others. */
const Id = z.union([z.string().regex(/^[\w-]{1,100}$/), z.int()]).transform(String)
const Amount = z.union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)]).transform(Number)

const CreatedInvoice = z.object({ id: Id, invoice_url: z.url().max(2_000) })

const Payment = z.object({
  payment_id: Id,
  /** Of a further deposit to the address of a payment. */
  parent_payment_id: Id.nullish(),
  invoice_id: Id.nullish(),
  payment_status: z.string().max(100),
  price_amount: Amount,
  price_currency: z.string(),
  pay_amount: Amount.nullish(),
  pay_currency: z.string().nullish(),
  actually_paid: Amount.nullish(),
  pay_address: z.string().max(200).nullish(),
  /** Memo or tag of the address. */
  payin_extra_id: z
    .union([z.string().max(200), z.int()])
    .transform(String)
    .nullish(),
  /** What reaches the shop, after fees and exchange. */
  outcome_amount: Amount.nullish(),
  outcome_currency: z.string().nullish(),
  order_id: z.union([z.string(), z.number()]).transform(String).nullish(),
})
type Payment = z.output<typeof Payment>

const Coins = z.object({ selectedCurrencies: z.array(z.string().max(40)).max(1_000) })

const Payments = z.object({ data: z.array(Payment) })

const Callback = z.object({ payment_id: Id.nullish(), invoice_id: Id.nullish(), order_id: Id.nullish() })

const STATUSES: Readonly<Record<string, ObservedPayment['status']>> = {
  waiting: 'open',
  confirming: 'confirming',
  confirmed: 'confirming',
  sending: 'confirming',
  finished: 'paid',
  partially_paid: 'underpaid',
  failed: 'failed',
  expired: 'expired',
  refunded: 'refunded',
}
/** Of several payments for one invoice, the last status in this list decides. */
const PRECEDENCE: readonly ObservedPayment['status'][] = [
  'failed',
  'expired',
  'open',
  'confirming',
  'underpaid',
  'refunded',
  'unknown',
  'paid',
]
/** States of a further deposit in which its money is there, or may be. */
const MONEY_CAME: ReadonlySet<ObservedPayment['status']> = new Set(['paid', 'underpaid', 'unknown'])
/** The part of a payment that fees may take before it reaches the shop. */
const MOST_FEES = 0.25
const LISTING_REFUSED: ReadonlySet<number> = new Set([401, 403, 404])

export function nowPayments(options: NowPaymentsOptions): Processor {
  const { url, apiKey, secrets, callbackUrl, returnUrl, answerWithinMs } = options
  const http = new ProcessorHttp({
    url,
    headers: { 'x-api-key': apiKey },
    ...(answerWithinMs !== undefined && { answerWithinMs }),
  })

  /** Finds payments without a callback. Accounts that may not list payments depend on callbacks. */
  const listPayments = async (externalId: string, signal?: AbortSignal): Promise<Payment[] | ProcessorRefusal> => {
    try {
      const query = new URLSearchParams({ invoiceId: externalId, limit: '100', page: '0', sortBy: 'created_at' })
      return (await http.get(`/payment/?${query.toString()}`, Payments, signal)).data
    } catch (error) {
      if (error instanceof ProcessorRefusal && LISTING_REFUSED.has(error.status)) return error
      throw error
    }
  }

  return {
    name: 'nowpayments',

    async createInvoice(order: InvoiceOrder, signal): Promise<MadeInvoice> {
      const body = {
        price_amount: order.priceUsd,
        price_currency: 'usd',
        order_id: order.orderId,
        order_description: order.description,
        ipn_callback_url: callbackUrl,
        success_url: returnUrl,
        cancel_url: returnUrl,
        // Otherwise the coins that were asked for may be worth less than the price when they arrive.
        is_fixed_rate: true,
        ...(order.payCurrency !== undefined && { pay_currency: order.payCurrency.toLowerCase() }),
      }
      const { id, invoice_url } = await http.post('/invoice', body, CreatedInvoice, signal)
      return { externalId: id, url: invoice_url }
    },

    async listCurrencies(signal): Promise<string[]> {
      const { selectedCurrencies } = await http.get('/merchant/coins', Coins, signal)
      return selectedCurrencies.map((coin) => coin.toLowerCase())
    },

    verifyCallback(rawBody, headers): CallbackHint | undefined {
      const signature = headers['x-nowpayments-sig']
      const body = readCallbackBody(rawBody)
      if (typeof signature !== 'string' || body === undefined) return undefined
      if (!isSignedWith('sha512', secrets, canonicalForms(body), signature)) return undefined
      const { data } = Callback.safeParse(body)
      return {
        ...(data?.invoice_id && { externalId: data.invoice_id }),
        ...(data?.order_id && { orderId: data.order_id }),
        ...(data?.payment_id && { paymentId: data.payment_id }),
      }
    },

    async fetchInvoice(
      { externalId, paymentIds, payCurrency }: KnownInvoice,
      signal,
    ): Promise<ObservedPayment | undefined> {
      const found = await listPayments(externalId, signal)
      const payments = new Map<string, Payment>()
      if (!(found instanceof ProcessorRefusal)) for (const payment of found) payments.set(payment.payment_id, payment)
      for (const id of paymentIds) {
        if (!payments.has(id)) payments.set(id, await http.get(`/payment/${encodeURIComponent(id)}`, Payment, signal))
      }
      const observed = decisivePayment([...payments.values()], externalId, payCurrency)
      if (observed !== undefined) return observed
      if (found instanceof ProcessorRefusal) throw found
      return undefined
    },
  }
}

function observedPaymentOf(payment: Payment): ObservedPayment {
  const { payment_status: word, pay_amount: due, actually_paid: paid } = payment
  return {
    status: STATUSES[word] ?? 'unknown',
    word,
    price: { amount: payment.price_amount, currency: payment.price_currency },
    orderId: payment.order_id ?? '',
    hasMoney: (paid ?? 0) > 0,
    received: !due || !paid || paid < due ? 'less' : paid > due ? 'more' : 'enough',
    request: requestOf(payment),
  }
}

function requestOf(payment: Payment): PayerRequest | undefined {
  const { pay_currency: currency, pay_amount: due, actually_paid: paid, pay_address: address } = payment
  if (!currency || !due) return undefined
  return {
    currency: currency.toLowerCase(),
    amountDue: decimalText(due),
    amountReceived: decimalText(paid ?? 0),
    ...(address && { address }),
    ...(payment.payin_extra_id && { memo: payment.payin_extra_id }),
  }
}

/** A further deposit never pays an invoice: its price is that of its parent, whatever was sent. */
function decisivePayment(
  payments: readonly Payment[],
  externalId: string,
  payCurrency: string | undefined,
): ObservedPayment | undefined {
  const own = payments.filter(({ invoice_id }) => invoice_id === externalId)
  const ownIds = new Set(own.map(({ payment_id }) => payment_id))
  const children = payments.filter(
    ({ parent_payment_id: parent, invoice_id }) => parent && (invoice_id === externalId || ownIds.has(parent)),
  )
  const observed = own
    .filter(({ parent_payment_id: parent }) => !parent)
    .map((payment) => ({ ...observedPaymentOf(payment), doubt: doubtOf(payment, payCurrency) }))
  const [first] = observed.toSorted((one, other) => precedenceOf(other) - precedenceOf(one))
  const isPaid = first?.status === 'paid' && first.received !== 'less' && first.doubt === undefined
  const deposit = children.find(({ payment_status: word }) => MONEY_CAME.has(STATUSES[word] ?? 'unknown'))
  if (deposit === undefined) {
    const paidOften = observed.filter(({ status, received }) => status === 'paid' && received !== 'less').length > 1
    return first && (paidOften ? { ...first, received: 'more' } : first)
  }
  if (isPaid) return { ...first, received: 'more' }
  const parent = own.find(({ payment_id }) => payment_id === deposit.parent_payment_id)
  const isOtherAsset = parent !== undefined && !isSameAsset(parent.pay_currency, deposit.pay_currency)
  const doubt = isOtherAsset ? 'wrong_asset' : 'child_payment'
  return { ...(first ?? observedPaymentOf(deposit)), status: 'underpaid', hasMoney: true, doubt }
}

/** Why the money of a finished payment may not be what was asked for. */
function doubtOf(payment: Payment, payCurrency: string | undefined): PaymentDoubt | undefined {
  if (STATUSES[payment.payment_status] !== 'paid') return undefined
  if (payCurrency !== undefined && !isSameAsset(payCurrency, payment.pay_currency)) return 'wrong_asset'
  return isOutcomeLow(payment) ? 'low_outcome' : undefined
}

/** Compared with the price or the coins asked for. An outcome in a third currency only has to be there. */
function isOutcomeLow(payment: Payment): boolean {
  const { outcome_amount: outcome, outcome_currency: currency, pay_currency, pay_amount, price_amount } = payment
  if (!outcome || !currency) return true
  const due = isDollar(currency) ? price_amount : isSameAsset(currency, pay_currency) ? pay_amount : undefined
  return outcome < (due ?? 0) * (1 - MOST_FEES)
}

/** Dollars and the coins that follow them, such as usdttrc20. */
function isDollar(currency: string): boolean {
  return currency.toLowerCase().startsWith('usd')
}

function isSameAsset(one: string | null | undefined, other: string | null | undefined): boolean {
  return one !== undefined && one !== null && one.toLowerCase() === other?.toLowerCase()
}

function precedenceOf({ status, received, doubt }: ObservedPayment): number {
  return PRECEDENCE.indexOf(status) + (received === 'less' || doubt !== undefined ? 0 : 0.5)
}

/**
 * The texts that NOWPayments may sign. Its documentation sorts the keys at every depth; its sample code passes the
 * sorted top-level keys to `JSON.stringify`, which omits nested members. Both occur, so both are accepted.
 */
function canonicalForms(body: object): string[] {
  return [JSON.stringify(sorted(body)), JSON.stringify(body, Object.keys(body).sort())]
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]))
}

const SETTINGS = {
  NOWPAYMENTS_URL: z
    .url()
    .default('https://api.nowpayments.io/v1')
    .describe('NOWPayments API address, with the version'),
  NOWPAYMENTS_API_KEY: z.string().min(1).optional().describe('NOWPayments API key'),
  NOWPAYMENTS_IPN_SECRET: z.string().min(16).optional().describe('NOWPayments IPN secret, which signs callbacks'),
  NOWPAYMENTS_IPN_SECRET_FORMER: z.string().min(16).optional().describe('previous IPN secret during a rotation'),
}

export const nowPaymentsKind: ProcessorKind<'nowpayments', typeof SETTINGS> = {
  name: 'nowpayments',
  settings: SETTINGS,
  needs: ['NOWPAYMENTS_API_KEY', 'NOWPAYMENTS_IPN_SECRET'],
  secrets: ['NOWPAYMENTS_API_KEY', 'NOWPAYMENTS_IPN_SECRET', 'NOWPAYMENTS_IPN_SECRET_FORMER'],
  open(settings, publicUrl) {
    const { NOWPAYMENTS_URL: url, NOWPAYMENTS_API_KEY: apiKey, NOWPAYMENTS_IPN_SECRET: secret } = settings
    if (apiKey === undefined || secret === undefined) return undefined
    return nowPayments({
      url,
      apiKey,
      secrets: [secret, settings.NOWPAYMENTS_IPN_SECRET_FORMER].filter((each) => each !== undefined),
      callbackUrl: new URL('/v1/payments/callbacks/nowpayments', publicUrl).href,
      returnUrl: new URL('/app/billing', publicUrl).href,
    })
  },
}

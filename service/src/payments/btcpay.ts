import { z } from 'zod'
import type { ObservedPayment, PayerRequest } from '../domain/invoice.ts'
import { readCallbackBody } from './callback-body.ts'
import { decimalText } from './decimal-text.ts'
import type { CallbackHint, InvoiceOrder, MadeInvoice, Processor, ProcessorKind } from './processor.ts'
import { ProcessorHttp } from './processor-http.ts'
import { isSignedWith } from './signature.ts'

export interface BtcPayOptions {
  /** Server address without `/api`. */
  readonly url: string
  readonly storeId: string
  readonly apiKey: string
  /** Webhook secrets: the current one and the previous one. */
  readonly secrets: readonly string[]
  /** Where BTCPay sends the payer after the payment. */
  readonly returnUrl: string
  readonly answerWithinMs?: number
}

const Decimal = z.union([z.string().regex(/^\d+(\.\d+)?$/), z.number()]).transform(Number)

const CreatedInvoice = z.object({ id: z.string().min(1).max(100), checkoutLink: z.url().max(2_000) })

const Invoice = z.object({
  id: z.string(),
  status: z.string().max(100),
  additionalStatus: z.string().max(100).default('None'),
  amount: Decimal,
  currency: z.string(),
  paidAmount: Decimal.nullish(),
  metadata: z.object({ orderId: z.string().nullish() }).nullish(),
})
type Invoice = z.output<typeof Invoice>

/** Servers before 2.0 say `paymentMethod` and `cryptoCode`. */
const PaymentMethod = z.object({
  paymentMethodId: z.string().max(100).nullish(),
  paymentMethod: z.string().max(100).nullish(),
  currency: z.string().max(40).nullish(),
  cryptoCode: z.string().max(40).nullish(),
  amount: Decimal.nullish(),
  totalPaid: Decimal.nullish(),
  paymentMethodPaid: Decimal.nullish(),
  destination: z.string().max(2_000).nullish(),
  paymentLink: z.string().max(4_000).nullish(),
})
const PaymentMethods = z.array(PaymentMethod).max(100)
type PaymentMethod = z.output<typeof PaymentMethod>

const StoreMethods = z.array(PaymentMethod.extend({ enabled: z.boolean().default(true) })).max(100)

const Callback = z.object({ invoiceId: z.string().regex(/^[\w-]{1,100}$/) })

const STATUSES: Readonly<Record<string, ObservedPayment['status']>> = {
  New: 'open',
  Processing: 'confirming',
  Settled: 'paid',
  Expired: 'expired',
  Invalid: 'failed',
}
/** Exceptions that change what a status means; a pair that is not listed is unclear. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, ObservedPayment['status']>>>> = {
  PaidPartial: { New: 'open', Expired: 'underpaid', Settled: 'underpaid', Invalid: 'failed' },
  PaidLate: { Expired: 'expired', Processing: 'expired', Settled: 'expired', Invalid: 'failed' },
  PaidOver: { New: 'open', Processing: 'confirming', Settled: 'paid', Expired: 'expired', Invalid: 'failed' },
  Marked: { Settled: 'paid', Invalid: 'failed' },
  Invalid: { Invalid: 'failed' },
  None: STATUSES,
}
const WITH_MONEY: ReadonlySet<string> = new Set(['PaidPartial', 'PaidLate', 'PaidOver'])
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i

export function btcPay(options: BtcPayOptions): Processor {
  const { url, storeId, apiKey, secrets, returnUrl, answerWithinMs } = options
  const http = new ProcessorHttp({
    url,
    headers: { authorization: `token ${apiKey}` },
    ...(answerWithinMs !== undefined && { answerWithinMs }),
  })
  const store = `/api/v1/stores/${encodeURIComponent(storeId)}`
  const base = `${store}/invoices`
  return {
    name: 'btcpay',

    async createInvoice(order: InvoiceOrder, signal): Promise<MadeInvoice> {
      const body = {
        amount: order.priceUsd.toFixed(2),
        currency: 'USD',
        metadata: { orderId: order.orderId, itemDesc: order.description },
        checkout: {
          expirationMinutes: order.lifeMinutes,
          // Settings of the store would apply otherwise: it may accept unconfirmed or incomplete payments.
          speedPolicy: 'LowMediumSpeed',
          paymentTolerance: 0,
          redirectURL: returnUrl,
          ...(order.payCurrency !== undefined && { paymentMethods: [order.payCurrency.toUpperCase()] }),
        },
      }
      const { id, checkoutLink } = await http.post(base, body, CreatedInvoice, signal)
      return { externalId: id, url: checkoutLink }
    },

    verifyCallback(rawBody, headers): CallbackHint | undefined {
      const signature = headers['btcpay-sig']
      const hex = typeof signature === 'string' ? SIGNATURE.exec(signature)?.[1] : undefined
      if (hex === undefined || !isSignedWith('sha256', secrets, [rawBody], hex)) return undefined
      const { data } = Callback.safeParse(readCallbackBody(rawBody))
      return data === undefined ? {} : { externalId: data.invoiceId }
    },

    async listCurrencies(signal): Promise<string[]> {
      const methods = await http.get(`${store}/payment-methods?onlyEnabled=true`, StoreMethods, signal)
      return methods.filter(({ enabled }) => enabled).map((method) => nameOf(method).toLowerCase())
    },

    async fetchInvoice({ externalId, payCurrency }, signal): Promise<ObservedPayment> {
      const path = `${base}/${encodeURIComponent(externalId)}`
      const observed = observedPaymentOf(await http.get(path, Invoice, signal))
      // The amounts are for people: without them the invoice is settled all the same.
      const methods = await http.get(`${path}/payment-methods`, PaymentMethods, signal).catch(() => [])
      return { ...observed, request: requestOf(methods, payCurrency) }
    },
  }
}

/** Of the coin that was chosen or paid with; before, of the first one. */
function requestOf(methods: readonly PaymentMethod[], payCurrency: string | undefined): PayerRequest | undefined {
  const chosen =
    methods.find((method) => nameOf(method).toLowerCase() === payCurrency) ??
    methods.find(({ paymentMethodPaid }) => (paymentMethodPaid ?? 0) > 0) ??
    methods[0]
  if (chosen?.amount === undefined || chosen.amount === null) return undefined
  const { amount, totalPaid, destination, paymentLink } = chosen
  return {
    currency: (chosen.currency ?? chosen.cryptoCode ?? nameOf(chosen)).toLowerCase(),
    amountDue: decimalText(amount),
    amountReceived: decimalText(totalPaid ?? 0),
    ...(destination && { address: destination }),
    ...(paymentLink && { uri: paymentLink }),
  }
}

function nameOf({ paymentMethodId, paymentMethod }: PaymentMethod): string {
  return paymentMethodId ?? paymentMethod ?? ''
}

function observedPaymentOf(invoice: Invoice): ObservedPayment {
  const { status: word, additionalStatus, amount, paidAmount } = invoice
  const status = EXCEPTIONS[additionalStatus]?.[word] ?? 'unknown'
  return {
    status,
    word: additionalStatus === 'None' ? word : `${word} ${additionalStatus}`,
    price: { amount, currency: invoice.currency },
    orderId: invoice.metadata?.orderId ?? '',
    hasMoney: WITH_MONEY.has(additionalStatus) || (paidAmount ?? 0) > 0,
    received: receivedOf(invoice, status === 'paid', paidAmount ?? undefined),
  }
}

/** An invoice that an operator marked as settled counts as paid. Older servers report no amount. */
function receivedOf(
  { additionalStatus, amount }: Invoice,
  isSettled: boolean,
  paid?: number,
): ObservedPayment['received'] {
  if (isSettled && additionalStatus === 'Marked') return 'enough'
  if (paid === undefined ? !isSettled : paid < amount) return 'less'
  return additionalStatus === 'PaidOver' ? 'more' : 'enough'
}

const SETTINGS = {
  BTCPAY_URL: z.url().optional().describe('BTCPay server address'),
  BTCPAY_STORE_ID: z.string().min(1).optional().describe('BTCPay store id'),
  BTCPAY_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('BTCPay API key that may create and view invoices of the store'),
  BTCPAY_WEBHOOK_SECRET: z
    .string()
    .min(16)
    .optional()
    .describe('secret of the store webhook to PUBLIC_URL/v1/payments/callbacks/btcpay'),
  BTCPAY_WEBHOOK_SECRET_FORMER: z.string().min(16).optional().describe('previous webhook secret during a rotation'),
}

export const btcPayKind: ProcessorKind<'btcpay', typeof SETTINGS> = {
  name: 'btcpay',
  settings: SETTINGS,
  needs: ['BTCPAY_URL', 'BTCPAY_STORE_ID', 'BTCPAY_API_KEY', 'BTCPAY_WEBHOOK_SECRET'],
  secrets: ['BTCPAY_API_KEY', 'BTCPAY_WEBHOOK_SECRET', 'BTCPAY_WEBHOOK_SECRET_FORMER'],
  open(settings, publicUrl) {
    const { BTCPAY_URL: url, BTCPAY_STORE_ID: storeId, BTCPAY_API_KEY: apiKey } = settings
    const { BTCPAY_WEBHOOK_SECRET: secret, BTCPAY_WEBHOOK_SECRET_FORMER: former } = settings
    if (!url || !storeId || !apiKey || !secret) return undefined
    const secrets = [secret, former].filter((each) => each !== undefined)
    return btcPay({ url, storeId, apiKey, secrets, returnUrl: new URL('/app/billing', publicUrl).href })
  },
}

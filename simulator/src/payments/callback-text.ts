import { createHmac, randomUUID } from 'node:crypto'
import type { SimulatedInvoice } from './invoice-book.ts'

export interface SignedCallback {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** A webhook of a BTCPay store. */
export interface Webhook {
  readonly id: string
  readonly storeId: string
  readonly url: string
  readonly secret: string
}

/** Signing secret of the simulated NOWPayments. */
export const SIMULATED_IPN_SECRET = 'a secret of the simulated NOWPayments'
export const USD_PER_BTC = 64_000

const EVENT_TYPES: Readonly<Record<string, string>> = {
  New: 'InvoiceReceivedPayment',
  Processing: 'InvoiceProcessing',
  Settled: 'InvoiceSettled',
  Expired: 'InvoiceExpired',
  Invalid: 'InvoiceInvalid',
}

/** A payment in the format of NOWPayments, for REST and callbacks. */
export function paymentOf(invoice: SimulatedInvoice): object {
  const isChild = invoice.parentPaymentId !== undefined
  const paid = coins(invoice.price * invoice.paidShare)
  // A further deposit was asked for by nobody: it is complete with whatever was sent.
  const payAmount = isChild ? paid : coins(invoice.price)
  return {
    payment_id: Number(invoice.paymentId),
    parent_payment_id: isChild ? Number(invoice.parentPaymentId) : null,
    invoice_id: Number(invoice.id),
    payment_status: invoice.status,
    pay_address: 'bc1qsimulated',
    price_amount: invoice.price,
    price_currency: invoice.currency,
    pay_amount: payAmount,
    actually_paid: paid,
    actually_paid_at_fiat: 0,
    pay_currency: invoice.payCurrency,
    order_id: invoice.orderId,
    order_description: invoice.description,
    purchase_id: String(Number(invoice.paymentId) + 1),
    outcome_amount: coins(invoice.price * invoice.paidShare * invoice.outcomeShare),
    outcome_currency: invoice.payCurrency,
    created_at: new Date(invoice.createdAtMs).toISOString(),
    updated_at: new Date(invoice.updatedAtMs).toISOString(),
    fee: { currency: 'btc', depositFee: 0.000001, withdrawalFee: 0, serviceFee: 0 },
  }
}

/** Signed as the NOWPayments documentation says, or as its sample code does; both forms occur. */
export function nowPaymentsCallback(
  invoice: SimulatedInvoice,
  form: 'recursive' | 'replacer',
): SignedCallback | undefined {
  if (invoice.callbackUrl === undefined) return undefined
  const payment = paymentOf(invoice)
  const text =
    form === 'recursive' ? JSON.stringify(sorted(payment)) : JSON.stringify(payment, Object.keys(payment).sort())
  return {
    url: invoice.callbackUrl,
    body: JSON.stringify(payment),
    headers: { 'x-nowpayments-sig': createHmac('sha512', SIMULATED_IPN_SECRET).update(text).digest('hex') },
  }
}

/** Each delivery has its own id, so no two have the same bytes. */
export function btcPayCallback(invoice: SimulatedInvoice, webhook: Webhook, original?: string): SignedCallback {
  const deliveryId = randomUUID()
  const body = JSON.stringify({
    deliveryId,
    webhookId: webhook.id,
    originalDeliveryId: original ?? deliveryId,
    isRedelivery: original !== undefined,
    type: EVENT_TYPES[invoice.status] ?? 'InvoiceCreated',
    timestamp: Math.floor(Date.now() / 1_000),
    storeId: webhook.storeId,
    invoiceId: invoice.id,
    metadata: { orderId: invoice.orderId },
    manuallyMarked: invoice.additionalStatus === 'Marked',
    overPaid: invoice.additionalStatus === 'PaidOver',
  })
  const signature = createHmac('sha256', webhook.secret).update(body).digest('hex')
  return { url: webhook.url, body, headers: { 'btcpay-sig': `sha256=${signature}` } }
}

/** The price in bitcoin. */
export function coins(usd: number): number {
  return Number((usd / USD_PER_BTC).toFixed(8))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])]))
}

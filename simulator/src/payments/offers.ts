import type { SimulatedInvoice } from './invoice-book.ts'
import type { Act } from './payer.ts'

/** Something that the invoice page lets a person do, and how much money it moves. */
export interface Offer {
  readonly name: string
  readonly label: string
  readonly act: Act
  readonly share: number
}

const CLOSED: ReadonlySet<string> = new Set(['finished', 'Settled', 'refunded', 'failed', 'Invalid'])
const EXPIRED: ReadonlySet<string> = new Set(['expired', 'Expired'])
const NO_MONEY = { share: 1 }

/** What can happen to an invoice now. */
export function offersOf(invoice: SimulatedInvoice): Offer[] {
  const { processor, status } = invoice
  if (CLOSED.has(status)) {
    const isRefundable = processor === 'nowpayments' && status === 'finished'
    return isRefundable ? [{ name: 'refund', label: 'Refund the payment', act: 'refund', ...NO_MONEY }] : []
  }
  const offers = paymentsFor(invoice)
  if (!EXPIRED.has(status)) offers.push({ name: 'expire', label: 'Let it expire', act: 'expire', ...NO_MONEY })
  else if (processor === 'btcpay')
    offers.push({ name: 'mark', label: 'Mark as settled, as the shop can', act: 'mark', ...NO_MONEY })
  offers.push({ name: 'fail', label: 'Let the payment fail', act: 'fail', ...NO_MONEY })
  return offers
}

function paymentsFor(invoice: SimulatedInvoice): Offer[] {
  const due = 1 - invoice.paidShare
  if (due <= 0) return []
  const payment = (name: string, share: number, comment: string): Offer => ({
    name,
    label: `Pay ${amountText(invoice, share)}${comment}`,
    act: 'pay',
    share,
  })
  return [
    payment('pay', due, ''),
    payment('pay-half', due / 2, ' (half of it)'),
    payment('pay-too-much', due + 0.5, ' (too much)'),
  ]
}

/** A share of the price, such as `8.50 USD`. */
export function amountText({ price, currency }: SimulatedInvoice, share: number): string {
  return `${(price * share).toFixed(2)} ${currency.toUpperCase()}`
}

import type { InvoiceState } from '../data/account-types.ts'
import type { Tone } from '../views/badge.tsx'

interface InvoiceWords {
  readonly name: string
  readonly tone: Tone
  readonly title: string
  readonly text: string
}

export const INVOICE_TEXTS: Readonly<Record<InvoiceState, InvoiceWords>> = {
  creating: {
    name: 'being created',
    tone: 'quiet',
    title: 'The invoice is being created',
    text: 'This takes a few seconds. The page follows by itself.',
  },
  open: {
    name: 'waits for payment',
    tone: 'warn',
    title: 'Waiting for your payment',
    text: 'Fees of your exchange are added on top: send enough that the whole amount arrives.',
  },
  confirming: {
    name: 'confirming',
    tone: 'warn',
    title: 'Payment seen, waiting for the network',
    text: 'The invoice can no longer expire. You can close this page.',
  },
  underpaid: {
    name: 'paid in part',
    tone: 'bad',
    title: 'A part of the payment is missing',
    text: 'What you sent is not lost; we are reviewing it. While the payment page accepts it, send the rest to the same address, in the same coin. Otherwise give support the reference below.',
  },
  expired: {
    name: 'expired',
    tone: 'quiet',
    title: 'This invoice has expired',
    text: 'Money that is already on its way still counts. Do not send more to this invoice; create a new one.',
  },
  failed: {
    name: 'failed',
    tone: 'bad',
    title: 'This invoice has failed',
    text: 'The payment processor reports that the payment has failed. Create a new invoice; if you have paid, give support the reference below.',
  },
  paid: {
    name: 'paid',
    tone: 'good',
    title: 'Paid',
    text: 'The payment is complete.',
  },
  refunded: {
    name: 'refunded',
    tone: 'quiet',
    title: 'Refunded',
    text: 'The money was sent back. For questions, give support the reference below.',
  },
}

/** Of a failed invoice without a payment page. */
export const NOT_CREATED =
  'The payment processor did not create it, so nothing can have been paid. Create a new invoice.'

/** What is still to be paid, as an exact decimal number; undefined when nothing is missing or something is unknown. */
export function missingAmount(due: string | null, received: string | null): string | undefined {
  const [one, other] = [due, received].map((text) => (text !== null && /^\d+(\.\d+)?$/.test(text) ? text : undefined))
  if (one === undefined || other === undefined) return undefined
  const decimals = Math.max(decimalsOf(one), decimalsOf(other))
  const missing = unitsOf(one, decimals) - unitsOf(other, decimals)
  if (missing <= 0n) return undefined
  const digits = missing.toString().padStart(decimals + 1, '0')
  if (decimals === 0) return digits
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0
}

function unitsOf(text: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

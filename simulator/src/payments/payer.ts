import type { ProcessorName, SimulatedInvoice, Step } from './invoice-book.ts'

export const ACTS = ['begin', 'pay', 'expire', 'refund', 'fail', 'mark', 'deposit-again', 'deposit-other-coin'] as const
export type Act = (typeof ACTS)[number]

/** What a payer, time or an operator does, in the words of the processor. Undefined: it has no word for it. */
export function stepsOf(invoice: SimulatedInvoice, act: Act, share: number): Step[] | undefined {
  return WORDS[invoice.processor](invoice, act, share)
}

const WORDS: Record<ProcessorName, (invoice: SimulatedInvoice, act: Act, share: number) => Step[] | undefined> = {
  nowpayments({ paidShare: before, payCurrency }, act, share) {
    const paidShare = before + share
    switch (act) {
      case 'begin':
        return [{ status: 'waiting' }]
      case 'pay':
        if (paidShare < 1) return [{ status: 'confirming' }, { status: 'partially_paid', paidShare }]
        return ['confirming', 'confirmed', 'sending', 'finished'].map((status) => ({ status, paidShare }))
      case 'expire':
        return [{ status: 'expired' }]
      case 'refund':
        return [{ status: 'refunded' }]
      case 'fail':
        return [{ status: 'failed' }]
      case 'deposit-again':
        return [{ status: 'finished', deposit: { payCurrency, share } }]
      case 'deposit-other-coin':
        return [{ status: 'finished', deposit: { payCurrency: payCurrency === 'ltc' ? 'eth' : 'ltc', share } }]
      default:
        return undefined
    }
  },
  btcpay({ status: now, paidShare: before }, act, share) {
    const paidShare = before + share
    switch (act) {
      case 'begin':
        return [{ status: 'New' }]
      case 'pay':
        // Late money leaves an invoice expired, until whoever runs the server marks it.
        if (now === 'Expired')
          return [{ status: now, additionalStatus: paidShare < 1 ? 'PaidPartial' : 'PaidLate', paidShare }]
        if (paidShare < 1) return [{ status: 'New', paidShare }]
        return ['Processing', 'Settled'].map((status) => ({
          status,
          additionalStatus: paidShare > 1 ? 'PaidOver' : 'None',
          paidShare,
        }))
      case 'expire':
        return [{ status: 'Expired', additionalStatus: before > 0 ? 'PaidPartial' : 'None' }]
      case 'fail':
        return [{ status: 'Invalid' }]
      case 'mark':
        return [{ status: 'Settled', additionalStatus: 'Marked' }]
      default:
        return undefined
    }
  },
}

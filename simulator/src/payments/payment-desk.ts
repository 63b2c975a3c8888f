import { randomUUID } from 'node:crypto'
import { CallbackPost } from './callback-post.ts'
import { btcPayCallback, nowPaymentsCallback, type SignedCallback, type Webhook } from './callback-text.ts'
import { InvoiceBook, type SimulatedInvoice } from './invoice-book.ts'

/** BTCPay: after 10 s, after a minute, then six times every ten minutes. NOWPayments: a few times, a minute apart. */
const WAITS_MS = {
  btcpay: [10_000, 60_000, ...Array<number>(6).fill(600_000)],
  nowpayments: [60_000, 60_000, 60_000],
} as const

/** Both payment processors: their invoices, and how they tell of them. */
export class PaymentDesk {
  readonly book = new InvoiceBook((invoice) => this.#tell(invoice))
  readonly post = new CallbackPost()
  /** Webhooks of stores of BTCPay. */
  readonly webhooks: Webhook[] = []
  /** Both answer with 503. */
  isAway = false
  #form: 'recursive' | 'replacer' = 'recursive'

  addWebhook(storeId: string, url: string, secret: string): Webhook {
    const webhook = { id: randomUUID(), storeId, url, secret }
    this.webhooks.push(webhook)
    return webhook
  }

  /** A callback that somebody else has made up: everything is right but the secret. */
  forge(invoice: SimulatedInvoice): void {
    const lie = { ...invoice, status: invoice.processor === 'nowpayments' ? 'finished' : 'Settled', paidShare: 1 }
    for (const callback of this.#callbacksOf(lie, 1)) {
      const headers = Object.fromEntries(
        Object.entries(callback.headers).map(([name, value]) => [name, value.replaceAll(/[0-9a-f]{4}$/g, '0000')]),
      )
      this.post.send(() => ({ ...callback, headers }), [])
    }
  }

  #tell(invoice: SimulatedInvoice): void {
    // What is told is what was so now, however late it arrives.
    const told = { ...invoice }
    const count = invoice.processor === 'nowpayments' ? 1 : this.webhooks.length
    this.#form = this.#form === 'recursive' ? 'replacer' : 'recursive'
    const form = this.#form
    for (let index = 0; index < count; index++) {
      this.post.send((tryNumber) => this.#callbacksOf(told, tryNumber, form)[index], WAITS_MS[invoice.processor])
    }
  }

  #callbacksOf(invoice: SimulatedInvoice, tryNumber: number, form = this.#form): SignedCallback[] {
    if (invoice.processor === 'btcpay') {
      return this.webhooks.map((hook) => btcPayCallback(invoice, hook, tryNumber > 1 ? 'first' : undefined))
    }
    const callback = nowPaymentsCallback(invoice, form)
    return callback === undefined ? [] : [callback]
  }
}

import { randomUUID } from 'node:crypto'
import { CallbackSender } from './callback-sender.ts'
import { btcPayCallback, nowPaymentsCallback, type SignedCallback, type Webhook } from './callback-text.ts'
import { InvoiceBook, type SimulatedInvoice } from './invoice-book.ts'

/** Retry delays. BTCPay: 10 s, a minute, then six times ten minutes. NOWPayments: three times a minute. */
const WAITS_MS = {
  btcpay: [10_000, 60_000, ...Array<number>(6).fill(600_000)],
  nowpayments: [60_000, 60_000, 60_000],
} as const

/** Both payment processors: their invoices and callbacks. */
export class PaymentProcessors {
  readonly invoices = new InvoiceBook((invoice) => this.#sendCallbacks(invoice))
  readonly callbacks = new CallbackSender()
  /** Webhooks of BTCPay stores. */
  readonly webhooks: Webhook[] = []
  /** When true, both answer every request with 503. */
  isUnavailable = false
  #form: 'recursive' | 'replacer' = 'recursive'

  addWebhook(storeId: string, url: string, secret: string): Webhook {
    const webhook = { id: randomUUID(), storeId, url, secret }
    this.webhooks.push(webhook)
    return webhook
  }

  /** Sends a forged callback: everything is correct except the signature. */
  forge(invoice: SimulatedInvoice): void {
    const forged = { ...invoice, status: invoice.processor === 'nowpayments' ? 'finished' : 'Settled', paidShare: 1 }
    for (const callback of this.#callbacksOf(forged, 1)) {
      const headers = Object.fromEntries(
        Object.entries(callback.headers).map(([name, value]) => [name, value.replaceAll(/[0-9a-f]{4}$/g, '0000')]),
      )
      this.callbacks.send(() => ({ ...callback, headers }), [])
    }
  }

  #sendCallbacks(invoice: SimulatedInvoice): void {
    // A copy: a callback reports the state at this moment, however late it arrives.
    const reported = { ...invoice }
    const count = invoice.processor === 'nowpayments' ? 1 : this.webhooks.length
    this.#form = this.#form === 'recursive' ? 'replacer' : 'recursive'
    const form = this.#form
    for (let index = 0; index < count; index++) {
      this.callbacks.send(
        (tryNumber) => this.#callbacksOf(reported, tryNumber, form)[index],
        WAITS_MS[invoice.processor],
        (status) => {
          invoice.callbackStatus = status
        },
      )
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

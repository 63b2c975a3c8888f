import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { coins, USD_PER_BTC } from './callback-text.ts'
import type { SimulatedInvoice } from './invoice-book.ts'
import { invoicePageUrl } from './invoice-page-routes.ts'
import type { PaymentProcessors } from './payment-processors.ts'

const InvoiceBody = z.object({
  amount: z.string().regex(/^\d+(\.\d+)?$/),
  currency: z.string(),
  metadata: z.object({ orderId: z.string(), itemDesc: z.string().default('') }),
  checkout: z
    .object({
      expirationMinutes: z.number().positive(),
      speedPolicy: z.enum(['HighSpeed', 'MediumSpeed', 'LowMediumSpeed', 'LowSpeed']).optional(),
      paymentTolerance: z.number().min(0).max(100).optional(),
      paymentMethods: z.array(z.string()).optional(),
      redirectURL: z.url({ protocol: /^https?$/ }).optional(),
    })
    .optional(),
})
const WebhookBody = z.object({ url: z.url(), secret: z.string().min(1) })
const METHODS: ReadonlySet<string> = new Set(['BTC', 'BTC-LN', 'LTC'])

/** The part of BTCPay's Greenfield API that a shop needs; `PaymentProcessors` calls its webhooks. */
export function btcPayRoutes(app: FastifyInstance, processors: PaymentProcessors): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (processors.isUnavailable) return reply.code(503).send()
    if (!headers.authorization?.startsWith('token ')) return reply.code(401).send({ code: 'unauthenticated' })
  })
  app.post<{ Params: { store: string } }>('/api/v1/stores/:store/invoices', ({ body, params, host }, reply) => {
    const { data: order } = InvoiceBody.safeParse(body)
    const methods = order?.checkout?.paymentMethods ?? []
    if (order === undefined || methods.some((method) => !METHODS.has(method))) {
      return reply.code(422).send([{ path: 'checkout', message: 'not understood' }])
    }
    const invoice = processors.invoices.open({
      processor: 'btcpay',
      orderId: order.metadata.orderId,
      price: Number(order.amount),
      currency: order.currency,
      description: order.metadata.itemDesc,
      callbackUrl: undefined,
      returnUrl: order.checkout?.redirectURL,
      lifeMinutes: order.checkout?.expirationMinutes,
      payCurrency: 'btc',
      isFixedRate: true,
      speedPolicy: order.checkout?.speedPolicy,
    })
    return shown(invoice, params.store, host)
  })
  app.get<{ Params: { store: string; id: string } }>(
    '/api/v1/stores/:store/invoices/:id',
    ({ params, host }, reply) => {
      const invoice = processors.invoices.get(params.id)
      if (invoice?.processor !== 'btcpay') return reply.code(404).send({ code: 'invoice-not-found' })
      return shown(invoice, params.store, host)
    },
  )
  app.get<{ Params: { store: string; id: string } }>(
    '/api/v1/stores/:store/invoices/:id/payment-methods',
    ({ params }, reply) => {
      const invoice = processors.invoices.get(params.id)
      if (invoice?.processor !== 'btcpay') return reply.code(404).send({ code: 'invoice-not-found' })
      return [paymentMethodOf(invoice)]
    },
  )
  app.get('/api/v1/stores/:store/payment-methods', () =>
    [...METHODS].map((paymentMethodId) => ({ paymentMethodId, enabled: true })),
  )
  app.post<{ Params: { store: string } }>('/api/v1/stores/:store/webhooks', ({ body, params }, reply) => {
    const { data } = WebhookBody.safeParse(body)
    if (data === undefined) return reply.code(422).send([{ path: 'url', message: 'not understood' }])
    const { id, url } = processors.addWebhook(params.store, data.url, data.secret)
    return { id, url, enabled: true, automaticRedelivery: true, authorizedEvents: { everything: true } }
  })
}

function paymentMethodOf({ price, paidShare }: SimulatedInvoice): object {
  const [amount, paid] = [coins(price), coins(price * paidShare)]
  return {
    paymentMethodId: 'BTC',
    currency: 'BTC',
    destination: 'bc1qsimulated',
    paymentLink: `bitcoin:bc1qsimulated?amount=${amount}`,
    rate: String(USD_PER_BTC),
    amount: String(amount),
    totalPaid: String(paid),
    paymentMethodPaid: String(paid),
    due: String(coins(price * Math.max(0, 1 - paidShare))),
    activated: true,
    payments: [],
  }
}

function shown(invoice: SimulatedInvoice, storeId: string, host: string): object {
  return {
    id: invoice.id,
    storeId,
    amount: String(invoice.price),
    paidAmount: String(invoice.price * invoice.paidShare),
    currency: invoice.currency,
    type: 'Standard',
    checkoutLink: invoicePageUrl(host, invoice),
    createdTime: Math.floor(invoice.createdAtMs / 1_000),
    status: invoice.status,
    additionalStatus: invoice.additionalStatus,
    metadata: { orderId: invoice.orderId, itemDesc: invoice.description },
  }
}

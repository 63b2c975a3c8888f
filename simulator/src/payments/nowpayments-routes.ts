import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { paymentOf } from './callback-text.ts'
import { invoicePageUrl } from './invoice-page-routes.ts'
import type { PaymentProcessors } from './payment-processors.ts'

const InvoiceBody = z.object({
  price_amount: z.number().positive(),
  price_currency: z.string(),
  order_id: z.string(),
  order_description: z.string().default(''),
  ipn_callback_url: z.url().optional(),
  pay_currency: z.string().optional(),
  success_url: z.url({ protocol: /^https?$/ }).optional(),
  is_fixed_rate: z.boolean().default(false),
})
const COINS: ReadonlySet<string> = new Set(['btc', 'eth', 'ltc', 'usdttrc20', 'usdcmatic'])

/** The part of NOWPayments' REST that a shop needs; its callbacks come from the processors. */
export function nowPaymentsRoutes(app: FastifyInstance, processors: PaymentProcessors): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (processors.isUnavailable) return reply.code(503).send({ statusCode: 503, code: 'SERVICE_UNAVAILABLE' })
    if (!headers['x-api-key']) return reply.code(403).send({ statusCode: 403, code: 'INVALID_API_KEY' })
  })
  app.post('/invoice', ({ body, host }, reply) => {
    const { data: order } = InvoiceBody.safeParse(body)
    const isKnownCoin = order?.pay_currency === undefined || COINS.has(order.pay_currency)
    if (order === undefined || !isKnownCoin) {
      return reply.code(400).send({ statusCode: 400, code: 'INVALID_REQUEST_PARAMS', message: 'Bad request' })
    }
    const invoice = processors.invoices.open({
      processor: 'nowpayments',
      orderId: order.order_id,
      price: order.price_amount,
      currency: order.price_currency,
      description: order.order_description,
      callbackUrl: order.ipn_callback_url,
      returnUrl: order.success_url,
      lifeMinutes: undefined,
      payCurrency: order.pay_currency ?? 'btc',
      isFixedRate: order.is_fixed_rate,
      speedPolicy: undefined,
    })
    return {
      id: invoice.id,
      order_id: order.order_id,
      order_description: order.order_description,
      price_amount: String(order.price_amount),
      price_currency: order.price_currency,
      pay_currency: order.pay_currency ?? null,
      is_fixed_rate: order.is_fixed_rate,
      ipn_callback_url: order.ipn_callback_url ?? null,
      invoice_url: invoicePageUrl(host, invoice),
      created_at: new Date(invoice.createdAtMs).toISOString(),
      updated_at: new Date(invoice.updatedAtMs).toISOString(),
    }
  })
  app.get('/merchant/coins', () => ({ selectedCurrencies: [...COINS].map((coin) => coin.toUpperCase()) }))
  app.get<{ Params: { id: string } }>('/payment/:id', ({ params }, reply) => {
    const invoice = processors.invoices
      .list()
      .flatMap((each) => [each, ...each.children])
      .find(({ paymentId, isBegun }) => isBegun && paymentId === params.id)
    if (invoice === undefined) return reply.code(404).send({ statusCode: 404, code: 'NOT_FOUND' })
    return paymentOf(invoice)
  })
  app.get<{ Querystring: { invoiceId?: string; limit?: string } }>('/payment/', ({ query }) => {
    const invoices =
      query.invoiceId === undefined ? processors.invoices.list() : [processors.invoices.get(query.invoiceId)]
    const found = invoices.filter((invoice) => invoice?.processor === 'nowpayments' && invoice.isBegun)
    const data = found.flatMap((invoice) =>
      invoice === undefined ? [] : [invoice, ...invoice.children].map(paymentOf),
    )
    const limit = Number(query.limit ?? 10)
    return {
      data: data.slice(0, limit),
      limit,
      page: 0,
      pagesCount: Math.ceil(data.length / limit),
      total: data.length,
    }
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SimulatedInvoice } from './invoice-book.ts'
import { invoicePage, noInvoicePage, PAGE_POLICY, summaryOf } from './invoice-page.ts'
import { offersOf } from './offers.ts'
import { stepsOf } from './payer.ts'
import type { PaymentProcessors } from './payment-processors.ts'

const PREFIX = '/pay'

/** Address of the payment page, on the host that the shop used. */
export function invoicePageUrl(host: string, { id }: SimulatedInvoice): string {
  return `http://${host}${PREFIX}/${id}`
}

/** Payment pages of both processors: HTML with forms for browsers, JSON for programs such as curl. */
export function invoicePageRoutes(app: FastifyInstance, processors: PaymentProcessors): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  )
  app.get<{ Params: { id: string } }>(`${PREFIX}/:id`, (request, reply) => {
    const invoice = processors.invoices.get(request.params.id)
    if (invoice === undefined) return sendNotFound(request, reply)
    return isBrowser(request) ? sendPage(reply, invoicePage(invoice)) : reply.send(shown(invoice))
  })
  app.post<{ Params: { id: string }; Body?: { act?: string } }>(`${PREFIX}/:id`, (request, reply) => {
    const invoice = processors.invoices.get(request.params.id)
    if (invoice === undefined) return sendNotFound(request, reply)
    const offers = offersOf(invoice)
    const chosen = offers.find(({ name }) => name === request.body?.act)
    const steps = chosen && stepsOf(invoice, chosen.act, chosen.share)
    if (steps !== undefined) processors.invoices.move(invoice, steps)
    // A browser is redirected, so that reloading the page does not pay again.
    if (isBrowser(request)) return reply.redirect(`${PREFIX}/${invoice.id}`, 303)
    if (steps === undefined) return reply.code(409).send({ error: refusal(offers.map(({ name }) => name)) })
    return reply.send(shown(invoice))
  })
}

function refusal(names: readonly string[]): string {
  return names.length === 0
    ? 'Nothing more can happen to this invoice.'
    : `Send one of these in a form, such as act=${names[0]}: ${names.join(', ')}.`
}

function shown(invoice: SimulatedInvoice): object {
  const { processor, id, description, price, currency, status, paidShare, callbackStatus } = invoice
  return {
    processor,
    id,
    description,
    price,
    currency,
    received: price * paidShare,
    status,
    summary: summaryOf(invoice),
    callback_status: callbackStatus ?? null,
    acts: offersOf(invoice).map(({ name }) => name),
  }
}

function isBrowser({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true
}

function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.code(404)
  if (isBrowser(request)) return sendPage(reply, noInvoicePage())
  return reply.send({ error: 'The simulator has no invoice with this id. It forgets all invoices when it stops.' })
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY)
    .header('cache-control', 'no-store')
    .send(html)
}

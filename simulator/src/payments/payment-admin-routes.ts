import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ACTS, stepsOf } from './payer.ts'
import type { PaymentProcessors } from './payment-processors.ts'

const ActBody = z.union([
  z.strictObject({ act: z.enum(ACTS), share: z.number().positive().default(1) }),
  /** Any status in the vocabulary of the processor. */
  z.strictObject({
    status: z.string(),
    additionalStatus: z.string().optional(),
    paidShare: z.number().min(0).optional(),
    outcomeShare: z.number().min(0).optional(),
  }),
])
const DeliveryBody = z.strictObject({
  lose: z.boolean().optional(),
  copies: z.int().min(1).max(1_000).optional(),
  delayMs: z.number().min(0).optional(),
  reorder: z.boolean().optional(),
  haste: z.number().positive().optional(),
  away: z.boolean().optional(),
})

/** Routes that simulate payers and delivery failures. Real processors have no such routes. */
export function paymentAdminRoutes(app: FastifyInstance, processors: PaymentProcessors): void {
  app.get('/invoices', () => processors.invoices.list())
  app.post<{ Params: { id: string } }>('/invoices/:id', ({ params, body }, reply) => {
    const invoice = processors.invoices.get(params.id)
    if (invoice === undefined) return reply.code(404).send({ error: `no invoice with id ${params.id}` })
    const order = ActBody.safeParse(body)
    if (!order.success) return reply.code(400).send({ error: z.prettifyError(order.error) })
    const given = order.data
    const steps = 'act' in given ? stepsOf(invoice, given.act, given.share) : [definedOnly(given)]
    if (steps === undefined) return reply.code(409).send({ error: `${invoice.processor} has no status for this act` })
    processors.invoices.move(invoice, steps)
    return invoice
  })
  app.post<{ Params: { id: string } }>('/invoices/:id/forge', ({ params }, reply) => {
    const invoice = processors.invoices.get(params.id)
    if (invoice === undefined) return reply.code(404).send({ error: `no invoice with id ${params.id}` })
    processors.forge(invoice)
    return reply.code(202).send(invoice)
  })
  app.get('/delivery', () => ({
    ...processors.callbacks.faults,
    answers: Object.fromEntries(processors.callbacks.answers),
  }))
  app.post('/delivery', ({ body }, reply) => {
    const order = DeliveryBody.safeParse(body)
    if (!order.success) return reply.code(400).send({ error: z.prettifyError(order.error) })
    const { haste, away, ...faults } = order.data
    processors.callbacks.faults = { ...processors.callbacks.faults, ...definedOnly(faults) }
    if (haste !== undefined) processors.callbacks.speedUp = haste
    if (away !== undefined) processors.isUnavailable = away
    return processors.callbacks.faults
  })
}

type Defined<T> = { [Name in keyof T]: Exclude<T[Name], undefined> }

function definedOnly<T extends object>(given: T): Defined<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<T>
}

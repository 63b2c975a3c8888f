import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ACTS, stepsOf } from './payer.ts'
import type { PaymentDesk } from './payment-desk.ts'

const ActBody = z.union([
  z.strictObject({ act: z.enum(ACTS), share: z.number().positive().default(1) }),
  /** In the processor's own words, whatever they are. */
  z.strictObject({
    status: z.string(),
    additionalStatus: z.string().optional(),
    paidShare: z.number().min(0).optional(),
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

/** Who pays, and what goes wrong on the way. No processor has these. */
export function paymentAdminRoutes(app: FastifyInstance, desk: PaymentDesk): void {
  app.get('/invoices', () => desk.book.list())
  app.post<{ Params: { id: string } }>('/invoices/:id', ({ params, body }, reply) => {
    const invoice = desk.book.get(params.id)
    if (invoice === undefined) return reply.code(404).send({ error: `no invoice ${params.id}` })
    const order = ActBody.safeParse(body)
    if (!order.success) return reply.code(400).send({ error: z.prettifyError(order.error) })
    const given = order.data
    const steps = 'act' in given ? stepsOf(invoice, given.act, given.share) : [definedOnly(given)]
    if (steps === undefined) return reply.code(409).send({ error: `${invoice.processor} has no word for it` })
    desk.book.move(invoice, steps)
    return invoice
  })
  app.post<{ Params: { id: string } }>('/invoices/:id/forge', ({ params }, reply) => {
    const invoice = desk.book.get(params.id)
    if (invoice === undefined) return reply.code(404).send({ error: `no invoice ${params.id}` })
    desk.forge(invoice)
    return reply.code(202).send(invoice)
  })
  app.get('/delivery', () => ({ ...desk.post.faults, answers: Object.fromEntries(desk.post.answers) }))
  app.post('/delivery', ({ body }, reply) => {
    const order = DeliveryBody.safeParse(body)
    if (!order.success) return reply.code(400).send({ error: z.prettifyError(order.error) })
    const { haste, away, ...faults } = order.data
    desk.post.faults = { ...desk.post.faults, ...definedOnly(faults) }
    if (haste !== undefined) desk.post.haste = haste
    if (away !== undefined) desk.isAway = away
    return desk.post.faults
  })
}

type Defined<T> = { [Name in keyof T]: Exclude<T[Name], undefined> }

function definedOnly<T extends object>(given: T): Defined<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<T>
}

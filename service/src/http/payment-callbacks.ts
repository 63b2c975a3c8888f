import type { FastifyInstance } from 'fastify'
import { ApiError } from '../domain/api-error.ts'
import type { Stores } from '../endpoints/stores.ts'

export const CALLBACKS_PATH = '/v1/payments/callbacks/'
const MAX_BODY_BYTES = 64 * 1024

/**
 * Receives callbacks of payment processors. The raw body is kept, because the signature covers its bytes. A callback is
 * only stored here; a worker then fetches the state of the payment from the processor.
 */
export function addPaymentCallbacks(app: FastifyInstance, { processors, paymentEvents }: Stores): void {
  app.register(async (callbacks) => {
    callbacks.removeAllContentTypeParsers()
    callbacks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    callbacks.post<{ Params: { processor: string } }>(
      `${CALLBACKS_PATH}:processor`,
      { bodyLimit: MAX_BODY_BYTES },
      async ({ params, body, headers }, reply) => {
        const processor = processors.byName(params.processor)
        if (processor === undefined)
          throw new ApiError('not_found', 'This payment processor is unknown or not configured.')
        const rawBody = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        const hint = processor.verifyCallback(rawBody, headers)
        if (hint === undefined)
          throw new ApiError('signature_refused', 'The signature is missing or does not match the configured secret.')
        await paymentEvents.store({ provider: processor.name, body: rawBody, ...hint })
        return reply.header('cache-control', 'no-store').send({ received: true })
      },
    )
  })
}

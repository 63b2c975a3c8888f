import type { FastifyInstance } from 'fastify'
import { ApiError } from '../domain/api-error.ts'
import type { Stores } from '../endpoints/stores.ts'

export const CALLBACKS_PATH = '/v1/payments/callbacks/'
const LARGEST_BODY = 64 * 1024

/**
 * Where payment processors call. The bytes are kept as they came, because that is what was signed. A callback is
 * stored and answered; what is true is asked for by a worker, so that a processor never waits for us.
 */
export function addPaymentCallbacks(app: FastifyInstance, { processors, paymentEvents }: Stores): void {
  app.register(async (callbacks) => {
    callbacks.removeAllContentTypeParsers()
    callbacks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: LARGEST_BODY }, (_request, body, done) =>
      done(null, body),
    )
    callbacks.post<{ Params: { processor: string } }>(
      `${CALLBACKS_PATH}:processor`,
      { bodyLimit: LARGEST_BODY },
      async ({ params, body, headers }, reply) => {
        const processor = processors.byName(params.processor)
        if (processor === undefined) throw new ApiError('not_found', 'No such payment processor is known here.')
        const rawBody = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        const hint = processor.verifyCallback(rawBody, headers)
        if (hint === undefined) throw new ApiError('signature_refused', 'This is not signed with a secret of ours.')
        await paymentEvents.store({ provider: processor.name, body: rawBody, ...hint })
        return reply.header('cache-control', 'no-store').send({ received: true })
      },
    )
  })
}

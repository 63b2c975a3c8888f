import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { routeOf } from './route-of.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the API key or session, once it is known; for the request log. */
    accountId: string | undefined
  }
}

/** Logs every answered request. */
export function addRequestLog(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method, accountId } = request
    const path = routeOf(request)
    const durationMs = Math.round(reply.elapsedTime * 10) / 10
    log.info({ requestId, method, path, status: reply.statusCode, durationMs, accountId }, 'request answered')
    done()
  })
}

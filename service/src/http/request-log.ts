import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the API key or session, once it is known; for the request log. */
    accountId: string | undefined
  }
}

/** Logs every answered request. Only the template of the path is logged: paths and parameters may contain keys. */
export function addRequestLog(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method, accountId } = request
    const path = request.is404 ? undefined : request.routeOptions.url
    const durationMs = Math.round(reply.elapsedTime * 10) / 10
    log.info({ requestId, method, path, status: reply.statusCode, durationMs, accountId }, 'request answered')
    done()
  })
}

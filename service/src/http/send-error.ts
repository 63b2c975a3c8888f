import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { ApiError } from '../domain/api-error.ts'
import { errorHeaders } from '../pipeline/status-headers.ts'
import { routeOf } from './route-of.ts'

/** Sends the error object. */
export function sendError(log: Logger, error: ApiError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // An error after the caller disconnected is a consequence of the abort, so it is not logged.
  if (error.status >= 500 && !request.raw.socket.destroyed) {
    const err = error.cause ?? error
    log.error({ requestId: request.id, path: routeOf(request), err }, error.message)
  }
  // The rest of the body is not read, so the connection can't carry another request.
  if (error.status === 413) reply.header('connection', 'close')
  if (error.code === 'range_not_satisfiable') reply.header('content-range', `bytes */${String(error.details?.size)}`)
  return reply
    .headers(errorHeaders(error))
    .header('cache-control', 'no-store')
    .status(error.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ ...error.body, request_id: request.id }))
}

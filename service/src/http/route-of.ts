import type { FastifyRequest } from 'fastify'

/** The template of the path, for logs: paths and parameters may contain keys. Undefined for a path that does not exist. */
export function routeOf(request: FastifyRequest): string | undefined {
  return request.is404 ? undefined : request.routeOptions.url
}

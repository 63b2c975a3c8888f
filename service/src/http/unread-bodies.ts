import type { FastifyInstance } from 'fastify'

/** Fastify reads no body in this scope: the pipeline does so itself, after authentication. */
export function leaveBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { consoleEndpoints } from '../endpoints/console/index.ts'
import { type Endpoint, keyAccessOf } from '../endpoints/endpoint.ts'
import { requireOwnPage } from './same-site.ts'
import { leaveBodiesUnread } from './unread-bodies.ts'

/** The pages of the console ask here. API keys are ignored; the session takes their place. */
export const CONSOLE_API = '/app/api'

/** A question that is sent as a body. */
const READING_POSTS = ['estimate']

export interface ConsoleApiOptions {
  /** Origin of the pages. */
  readonly origin: string | undefined
  readonly endpoints: readonly Endpoint[]
  readonly add: (scope: FastifyInstance, endpoint: Endpoint, path: string) => void
}

/** Adds the endpoints for keys that only read, and those of the console itself, for signed-in browsers. */
export async function addConsoleApi(
  app: FastifyInstance,
  { origin, endpoints, add }: ConsoleApiOptions,
): Promise<void> {
  const reading = endpoints.filter(
    (each) => keyAccessOf(each) !== undefined && (each.method === 'GET' || READING_POSTS.includes(each.name)),
  )
  await app.register(async (scope) => {
    await scope.register(cookie)
    leaveBodiesUnread(scope)
    // Before the rate is counted: another site must not use it up.
    scope.addHook('onRequest', async (request, reply) => {
      reply.removeHeader('access-control-allow-origin')
      reply.removeHeader('access-control-expose-headers')
      reply.header('cross-origin-resource-policy', 'same-origin')
      // Browsers keep answers for a while, and another person may sign in meanwhile.
      reply.header('vary', 'cookie')
      requireOwnPage(request, origin)
    })
    for (const endpoint of [...reading, ...consoleEndpoints]) add(scope, endpoint, `${CONSOLE_API}${endpoint.path}`)
  })
}

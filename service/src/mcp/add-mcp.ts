import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../domain/api-error.ts'
import { answer } from '../pipeline/answer.ts'
import { type MessageOptions, messageExchange } from './message-exchange.ts'

export interface McpOptions extends MessageOptions {
  /** Host names under which MCP is served, in addition to localhost. */
  readonly allowedHosts: readonly string[]
}

const PATH = '/mcp'
const OTHER_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE']

/** Adds MCP at `/mcp`: one message per request, without sessions, with a key on every request. */
export async function addMcp(app: FastifyInstance, options: McpOptions): Promise<void> {
  const hosts = [...localhostAllowedHostnames(), ...options.allowedHosts]
  await app.register(async (scope) => {
    // The pipeline reads the body itself, after authentication.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })
    scope.route({
      method: 'POST',
      url: PATH,
      config: { countedBy: 'key' },
      async onRequest(request) {
        requireAllowedHost(request, hosts)
      },
      handler: (request, reply) => answer(options.pipeline, messageExchange(options, request, reply)),
    })
    scope.route({
      method: OTHER_METHODS,
      url: PATH,
      handler(_request, reply) {
        reply.header('allow', 'POST')
        throw new ApiError('method_not_allowed', '/mcp supports only POST, without streams and sessions.')
      },
    })
  })
}

/** Prevents DNS rebinding, by which a web page could reach a local server under its own host name. */
function requireAllowedHost({ headers }: FastifyRequest, hosts: string[]): void {
  const isAllowed = validateHostHeader(headers.host, hosts).ok && validateOriginHeader(headers.origin, hosts).ok
  if (isAllowed) return
  throw new ApiError(
    'host_not_allowed',
    'This Host or Origin is not allowed for MCP. Use the public host name of the service.',
  )
}

import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../domain/api-error.ts'
import { answer } from '../pipeline/answer.ts'
import { type MessageOptions, messageExchange } from './message-exchange.ts'

export interface McpOptions extends MessageOptions {
  /** Hosts under which MCP is served, beside those of this machine. */
  readonly allowedHosts: readonly string[]
}

const PATH = '/mcp'
const OTHER_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE']
const CHALLENGE = 'Bearer realm="bookreel", error="invalid_token"'

/** Adds MCP at `/mcp`: one message for each request, no sessions, a key on every request. */
export async function addMcp(app: FastifyInstance, options: McpOptions): Promise<void> {
  const hosts = [...localhostAllowedHostnames(), ...options.allowedHosts]
  await app.register(async (scope) => {
    // The pipeline reads the body after it knows the caller.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      if (reply.statusCode === 401) reply.header('www-authenticate', CHALLENGE)
    })
    scope.route({
      method: 'POST',
      url: PATH,
      async onRequest(request) {
        requireOurHost(request, hosts)
      },
      handler: (request, reply) => answer(options.pipeline, messageExchange(options, request, reply)),
    })
    scope.route({
      method: OTHER_METHODS,
      url: PATH,
      handler(_request, reply) {
        reply.header('allow', 'POST')
        throw new ApiError('method_not_allowed', 'Only POST is served here: there are no streams and no sessions.')
      },
    })
  })
}

/** Keeps a web page from reaching a local server by a host name of its own (DNS rebinding). */
function requireOurHost({ headers }: FastifyRequest, hosts: string[]): void {
  const isOurs = validateHostHeader(headers.host, hosts).ok && validateOriginHeader(headers.origin, hosts).ok
  if (isOurs) return
  throw new ApiError('host_not_allowed', 'MCP is not served under this Host, or not to this Origin.')
}

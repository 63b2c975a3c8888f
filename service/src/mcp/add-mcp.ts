import { toWebRequest } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  INVALID_REQUEST,
  localhostAllowedHostnames,
  PARSE_ERROR,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Admission } from '../access/access-control.ts'
import type { Caller } from '../access/caller.ts'
import { ApiError } from '../domain/api-error.ts'
import { requireScope } from '../domain/scope.ts'
import { type ToolServerDeps, toolServer } from './tool-server.ts'

export interface McpOptions extends ToolServerDeps {
  /** Names of hosts under which we may be asked, beside those of this machine. */
  readonly allowedHosts: readonly string[]
}

const PATH = '/mcp'
const LARGEST_BODY = 64 * 1024
/** No tool takes more than a few levels. */
const DEEPEST = 32
const OTHER_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE']
const CHALLENGE = 'Bearer realm="bookreel", error="invalid_token"'
/** Theirs say how bytes travel, which ours decide. */
const HEADERS_OF_THE_WIRE = new Set(['connection', 'content-length', 'transfer-encoding'])

/** MCP at `/mcp`: one message a request, nothing kept between two of them, a key on each. */
export async function addMcp(app: FastifyInstance, options: McpOptions): Promise<void> {
  const hosts = [...localhostAllowedHostnames(), ...options.allowedHosts]
  const callers = new WeakMap<FastifyRequest, Caller>()
  await app.register(async (scope) => {
    // Malformed JSON is answered as JSON-RPC wants it, so it is read as text.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      if (reply.statusCode === 401) reply.header('www-authenticate', CHALLENGE)
    })
    scope.route({
      method: 'POST',
      url: PATH,
      bodyLimit: LARGEST_BODY,
      async onRequest(request) {
        requireOurHost(request, hosts)
        const caller = await options.gate.authenticate(keyIn(request), request.ip)
        requireScope(caller.scopes, 'mcp')
        if (request.headers['mcp-session-id'] !== undefined) {
          throw new ApiError('not_found', 'There are no MCP sessions here: every request stands alone.')
        }
        callers.set(request, caller)
      },
      handler(request, reply) {
        const caller = callers.get(request)
        if (caller === undefined) throw new ApiError('unauthenticated', 'A valid API key is needed')
        return answerMessage(options, caller, request, reply)
      },
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

async function answerMessage(
  options: McpOptions,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const message = parsed(request.body)
  if (message === undefined) return refuse(reply, PARSE_ERROR, 'The body is not JSON.')
  if (Array.isArray(message))
    return refuse(reply, INVALID_REQUEST, 'Send one message a request; batches are not taken.')
  if (isDeeperThan(message, DEEPEST)) return refuse(reply, INVALID_REQUEST, 'The message is nested too deeply.')
  const rate = await admit(options, caller, message)
  const handler = createMcpHandler(() => toolServer(options, { caller, rate, requestId: request.id }), {
    legacy: 'stateless',
    // Nothing here changes, and an open stream would be held for nothing.
    maxSubscriptions: 0,
  })
  const gone = new AbortController()
  const onClose = (): void => gone.abort()
  request.raw.socket.once('close', onClose)
  try {
    const asked = await toWebRequest(Object.assign(request.raw, { method: 'POST', url: PATH }), message, {
      signal: gone.signal,
    })
    const response = await handler.fetch(asked, { parsedBody: message })
    const headers = [...response.headers].filter(([name]) => !HEADERS_OF_THE_WIRE.has(name))
    return await reply
      .status(response.status)
      .headers(Object.fromEntries(headers))
      .send(await response.text())
  } finally {
    request.raw.socket.off('close', onClose)
  }
}

/** Every request counts once. A call that is one too many is told so as a tool is, so that the agent reads it. */
async function admit({ gate }: McpOptions, caller: Caller, message: unknown): Promise<Admission | ApiError> {
  try {
    return await gate.admit(caller)
  } catch (error) {
    const isCall =
      typeof message === 'object' && message !== null && 'method' in message && message.method === 'tools/call'
    if (isCall && error instanceof ApiError && error.code === 'rate_limited') return error
    throw error
  }
}

/** A page that made its own name point here must not be able to ask in the name of whoever looks at it. */
function requireOurHost({ headers }: FastifyRequest, hosts: string[]): void {
  const isOurs = validateHostHeader(headers.host, hosts).ok && validateOriginHeader(headers.origin, hosts).ok
  if (isOurs) return
  throw new ApiError('host_not_allowed', 'MCP is not served under this Host, or not to this Origin.')
}

function keyIn({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key']
  if (typeof key === 'string') return key
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

/** Whoever walks a value by calling himself would run out of stack. */
function isDeeperThan(message: unknown, most: number): boolean {
  let level: unknown[] = [message]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}

function parsed(body: unknown): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return undefined
  }
}

function refuse(reply: FastifyReply, code: number, message: string): FastifyReply {
  return reply.status(400).send({ jsonrpc: '2.0', error: { code, message }, id: null })
}

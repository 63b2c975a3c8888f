import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import compress from '@fastify/compress'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { AccountConcurrency } from '../access/account-concurrency.ts'
import type { Caller } from '../access/caller.ts'
import { ApiError } from '../domain/api-error.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { endpoints } from '../endpoints/index.ts'
import { type AnswerDeps, answerRequest } from './answer-request.ts'
import { apiErrorOf } from './api-error-of.ts'
import { addBrowserRoutes } from './browser-routes.ts'
import { addDocuments } from './documents.ts'
import { addLoadShedding } from './load-shedding.ts'
import { addPaymentCallbacks, CALLBACKS_PATH } from './payment-callbacks.ts'
import type { SignIn } from './sign-in.ts'

export interface ServerOptions extends Omit<AnswerDeps, 'turns'> {
  /** Where another transport takes them too. */
  readonly turns?: AccountConcurrency
  readonly log: Logger
  /** Refuse plain HTTP, as told by the proxies below. */
  readonly isHttpsRequired: boolean
  /** Addresses of proxies whose word on protocol and caller counts. */
  readonly trustedProxies: readonly string[]
  /** Undefined where nobody can sign in. */
  readonly signIn?: SignIn | undefined
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const MAX_PARAM_LENGTH = 400
const REQUEST_ID = /^[\w.:-]{1,64}$/
/** An answer is data: a browser that shows it runs nothing, frames nothing, and believes the type it is told. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'cross-origin',
  // Any page may ask with a key of its own, and none with a cookie of ours.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
}
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
}

/** The list of endpoints as an HTTP server; it only has to be told where to listen. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: 16 * 1024,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
    },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      return sayNo(options.log, apiErrorOf(error), request, reply)
    },
    clientErrorHandler: (_error, socket) => refuseUnreadable(socket),
  })
  const headers = options.isHttpsRequired ? { ...HEADERS, ...HTTPS_ONLY } : HEADERS
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    done()
  })
  if (options.isHttpsRequired) app.addHook('onRequest', async (request, reply) => requireHttps(request, reply))
  app.options('*', (_request, reply) => reply.headers(PREFLIGHT).status(204).send())
  app.setErrorHandler((error, request, reply) => sayNo(options.log, apiErrorOf(error), request, reply))
  app.setNotFoundHandler((request, reply) =>
    sayNo(options.log, new ApiError('not_found', 'Nothing is served at this address; see /docs.'), request, reply),
  )
  await app.register(compress, { threshold: 1_024, globalDecompression: false })
  // A busy process must not be taken for a dead one, and payment processors repeat a callback only seldom.
  addLoadShedding(app, { log: options.log, neverRefused: ['/health', CALLBACKS_PATH] })
  const deps = { ...options, turns: options.turns ?? new AccountConcurrency() }
  const ofSessions = endpoints.filter(({ access }) => access !== 'public' && access.by === 'session')
  for (const endpoint of endpoints) if (!ofSessions.includes(endpoint)) addRoute(app, endpoint, deps)
  const sessionRoutes = ofSessions.map((endpoint) => ({ endpoint, url: fastifyPath(endpoint.path) }))
  await addBrowserRoutes(app, sessionRoutes, options)
  addPaymentCallbacks(app, options.stores)
  refuseOtherMethods(app)
  await addDocuments(app)
  return app
}

function addRoute(app: FastifyInstance, endpoint: Endpoint, options: AnswerDeps): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  app.route({
    method: endpoint.method,
    url: fastifyPath(endpoint.path),
    async onRequest(request) {
      if (endpoint.access === 'public') return
      const key = request.headers['x-api-key']
      callers.set(request, await options.gate.authenticate(typeof key === 'string' ? key : undefined, request.ip))
    },
    handler: (request, reply) => answerRequest(options, endpoint, callers.get(request), request, reply),
  })
}

/** Known addresses with a method they don't have. */
function refuseOtherMethods(app: FastifyInstance): void {
  const byPath = Map.groupBy(endpoints, ({ path }) => path)
  for (const [path, sharing] of byPath) {
    const allowed = sharing.map(({ method }) => method)
    app.route({
      method: METHODS.filter((method) => !allowed.some((each) => each === method)),
      url: fastifyPath(path),
      handler: (_request, reply) => {
        reply.header('allow', allowed.join(', '))
        throw new ApiError('method_not_allowed', `Only ${allowed.join(' and ')} is served here.`)
      },
    })
  }
}

function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Who sent a key in the clear must be told; who did not is sent to the safe address. */
function requireHttps(request: FastifyRequest, reply: FastifyReply): void {
  if (request.protocol === 'https') return
  if (request.headers['x-api-key'] !== undefined || request.headers.authorization !== undefined) {
    throw new ApiError('https_required', 'This key has been sent in the clear. Use HTTPS, and replace the key.')
  }
  reply.redirect(`https://${request.host}${request.url}`, 308)
}

/** What is no HTTP gets an answer all the same, and the connection ends: nobody knows where the next request begins. */
function refuseUnreadable(socket: Socket): void {
  if (!socket.writable) return
  const id = randomUUID()
  const fault = new ApiError('invalid_request', 'The request could not be read.')
  const body = JSON.stringify({ ...fault.body, request_id: id })
  const headers = [
    'HTTP/1.1 400 Bad Request',
    `x-request-id: ${id}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}

function sayNo(log: Logger, fault: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  // Whoever left in the middle has broken it off, not we.
  if (fault.status >= 500 && !request.raw.socket.destroyed) {
    log.error({ requestId: request.id, url: request.url.split('?')[0], err: fault.cause ?? fault }, fault.message)
  }
  if (fault.retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(fault.retryAfterSeconds))
  reply.header('cache-control', 'no-store')
  reply
    .status(fault.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ ...fault.body, request_id: request.id }))
}

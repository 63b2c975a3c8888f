import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import compress from '@fastify/compress'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '../domain/api-error.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { endpoints } from '../endpoints/index.ts'
import { answer, type PipelineDeps } from '../pipeline/answer.ts'
import { apiErrorOf } from './api-error-of.ts'
import { addBrowserRoutes } from './browser-routes.ts'
import { addDocuments } from './documents.ts'
import { addLoadShedding } from './load-shedding.ts'
import { addPaymentCallbacks, CALLBACKS_PATH } from './payment-callbacks.ts'
import { LARGEST_BODY, type RestOptions, restExchange } from './rest-exchange.ts'
import { sendError } from './send-error.ts'
import type { SignIn } from './sign-in.ts'

export interface ServerOptions {
  readonly pipeline: PipelineDeps
  readonly log: Logger
  /** Refuse plain HTTP, as told by the proxies below. */
  readonly isHttpsRequired: boolean
  /** Addresses of proxies whose forwarding headers count. */
  readonly trustedProxies: readonly string[]
  /** Undefined where nobody can sign in. */
  readonly signIn?: SignIn | undefined
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const MAX_PARAM_LENGTH = 400
const REQUEST_ID = /^[\w.:-]{1,64}$/
/** An answer is data: a browser runs nothing in it, frames nothing, and doesn't guess its type. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'cross-origin',
  // Any page may send a key of its own; cookies are not sent with it.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
}
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
}

/** The HTTP server of all endpoints, not yet listening. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { pipeline, log, signIn } = options
  /** For requests that reach no endpoint; the pipeline refuses and records the others. */
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = apiErrorOf(error)
    pipeline.metrics.requests.inc({ transport: 'rest', route: 'none', status: refusal.status })
    pipeline.metrics.refusals.inc({ transport: 'rest', code: refusal.code })
    return sendError(log, refusal, request, reply)
  }
  const app = fastify({
    bodyLimit: LARGEST_BODY,
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
      refuse(error, request, reply)
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
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request, reply) =>
    refuse(new ApiError('not_found', 'Nothing is served at this address; see /docs.'), request, reply),
  )
  await app.register(compress, { threshold: 1_024, globalDecompression: false })
  // A busy process must not be taken for a dead one, and payment processors repeat a callback only seldom.
  addLoadShedding(app, { log, neverRefused: ['/health', CALLBACKS_PATH] })
  const rest = { log, origin: signIn?.origin }
  const ofSessions = endpoints.filter(({ access }) => access !== 'public' && access.by === 'session')
  for (const endpoint of endpoints) if (!ofSessions.includes(endpoint)) addEndpoint(app, endpoint, pipeline, rest)
  await addBrowserRoutes(app, { signIn, log }, (scope) => {
    for (const endpoint of ofSessions) addEndpoint(scope, endpoint, pipeline, rest)
  })
  addPaymentCallbacks(app, pipeline.stores)
  refuseOtherMethods(app)
  await addDocuments(app)
  return app
}

function addEndpoint(app: FastifyInstance, endpoint: Endpoint, pipeline: PipelineDeps, rest: RestOptions): void {
  app.route({
    method: endpoint.method,
    url: fastifyPath(endpoint.path),
    handler: (request, reply) => answer(pipeline, restExchange(endpoint, request, reply, rest)),
  })
}

/** Answers known paths with a method that they don't have. */
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

/** A key that was sent in plain text is refused; other requests are redirected to HTTPS. */
function requireHttps(request: FastifyRequest, reply: FastifyReply): void {
  if (request.protocol === 'https') return
  if (request.headers['x-api-key'] !== undefined || request.headers.authorization !== undefined) {
    throw new ApiError('https_required', 'This key has been sent in the clear. Use HTTPS, and replace the key.')
  }
  reply.redirect(`https://${request.host}${request.url}`, 308)
}

/** Bytes that are not HTTP get an error object, and the connection ends because the next request can't be found. */
function refuseUnreadable(socket: Socket): void {
  if (!socket.writable) return
  const id = randomUUID()
  const refusal = new ApiError('invalid_request', 'The request could not be read.')
  const body = JSON.stringify({ ...refusal.body, request_id: id })
  const headers = [
    'HTTP/1.1 400 Bad Request',
    `x-request-id: ${id}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}

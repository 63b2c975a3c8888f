import { randomUUID } from 'node:crypto'
import compress from '@fastify/compress'
import fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { AnonymousBudget } from '../access/anonymous-budget.ts'
import { KnownRate } from '../access/known-rate.ts'
import { ApiError, noSuchPath } from '../domain/api-error.ts'
import { deprecationHeaders } from '../endpoints/deprecation.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { endpoints as allEndpoints } from '../endpoints/index.ts'
import { answer, type PipelineDeps } from '../pipeline/answer.ts'
import { addAnonymousBudget } from './anonymous-requests.ts'
import { apiErrorOf } from './api-error-of.ts'
import { addBrowserRoutes } from './browser-routes.ts'
import { addConsole } from './console/add-console.ts'
import type { ConsoleFiles } from './console/console-files.ts'
import { addConsoleApi } from './console-api.ts'
import { addDocuments } from './documents.ts'
import { createHardenedServer, type ServerLimits } from './hardened-server.ts'
import { addIcon } from './icon.ts'
import { KeptAnswers } from './kept-answers.ts'
import { addLoadShedding } from './load-shedding.ts'
import { addPaymentCallbacks, CALLBACKS_PATH } from './payment-callbacks.ts'
import { addRequestLog } from './request-log.ts'
import { addHttpsRequirement } from './require-https.ts'
import { MAX_BODY_BYTES, type RestOptions, restExchange } from './rest-exchange.ts'
import { sendError } from './send-error.ts'
import type { SignIn } from './sign-in.ts'
import { addStatusFeed } from './status-feed.ts'
import { leaveBodiesUnread } from './unread-bodies.ts'

export interface ServerOptions {
  readonly pipeline: PipelineDeps
  readonly log: Logger
  /** Logs every request. */
  readonly isRequestLogged?: boolean
  /** Refuses plain HTTP; the protocol is taken from the trusted proxies. */
  readonly isHttpsRequired: boolean
  /** Plain HTTP is redirected to it when it is https, and refused otherwise. */
  readonly publicUrl?: string | undefined
  /** Addresses of proxies whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: readonly string[]
  /** Where vulnerabilities are reported; default: nowhere. */
  readonly securityContact?: string | undefined
  /** Undefined when sign-in is not configured. */
  readonly signIn?: SignIn | undefined
  /** Default: no console is installed. */
  readonly console?: ConsoleFiles | undefined
  /** Address of the streams when they are on another host. */
  readonly streamUrl?: string | undefined
  /** Default: a registry that nobody reads. */
  readonly registry?: Registry
  /** Shared with the streams of this process; default: one of its own. */
  readonly anonymousBudget?: AnonymousBudget
  /** For tests that can't send as many requests as the real one allows. */
  readonly knownRate?: KnownRate
  /** False for tests, whose machine may be busy with others. Default: an overloaded process refuses requests. */
  readonly isLoadShed?: boolean
  /** For tests that can't wait for the real ones. */
  readonly limits?: Partial<ServerLimits>
  /** Default: all. */
  readonly endpoints?: readonly Endpoint[]
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const MAX_PARAM_LENGTH = 400
/** Orchestrators and load balancers check it inside the network, where there is no TLS. */
const HEALTH_PATH = '/health'
const REQUEST_ID = /^[\w.:-]{1,64}$/
/** Answers are data, so browsers must not run, frame or sniff them. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'cross-origin',
  // Any site may send a key; with the wildcard, browsers let no site read answers to requests with cookies.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
}
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  // The wildcard does not include Authorization.
  'access-control-allow-headers': '*, Authorization',
  'access-control-max-age': '86400',
}

/** Creates the HTTP server with all endpoints; it does not listen yet. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { pipeline, log, signIn, endpoints = allEndpoints, registry = new Registry(), limits } = options
  const drains: (() => void)[] = []
  /** For requests that reach no endpoint; the pipeline handles errors of endpoints. */
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = apiErrorOf(error)
    pipeline.metrics.requests.inc({ transport: 'rest', route: 'none', status: refusal.status })
    pipeline.metrics.refusals.inc({ transport: 'rest', code: refusal.code })
    return sendError(log, refusal, request, reply)
  }
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    serverFactory(handler) {
      const hardened = createHardenedServer({ registry, limits }, handler)
      drains.push(hardened.drain)
      return hardened.server
    },
    // The hardened server has its own.
    clientErrorHandler: () => {},
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
  })
  app.addHook('preClose', async () => {
    for (const drain of drains) drain()
  })
  app.decorateRequest('accountId', undefined)
  if (options.isRequestLogged) addRequestLog(app, log)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS).header('x-request-id', request.id)
    done()
  })
  if (options.isHttpsRequired)
    addHttpsRequirement(app, { origin: httpsOrigin(options.publicUrl), exempt: [HEALTH_PATH] })
  addAnonymousBudget(app, {
    budget: options.anonymousBudget ?? new AnonymousBudget(registry),
    knownRate: options.knownRate ?? new KnownRate(),
    accessControl: pipeline.accessControl,
    signIn,
    neverRefused: [HEALTH_PATH],
  })
  app.options('*', (_request, reply) => reply.headers(PREFLIGHT).status(204).send())
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request, reply) => refuse(noSuchPath(), request, reply))
  await app.register(compress, { threshold: 1_024, globalDecompression: false })
  // Health checks must not report a busy process as dead, and payment processors rarely repeat a callback.
  if (options.isLoadShed ?? true) addLoadShedding(app, { log, neverRefused: [HEALTH_PATH, CALLBACKS_PATH] })
  const rest = { log, origin: signIn?.origin, metrics: pipeline.metrics, kept: new KeptAnswers() }
  const sessionEndpoints = endpoints.filter(({ access }) => access !== 'public' && access.by === 'session')
  await app.register(async (scope) => {
    leaveBodiesUnread(scope)
    for (const endpoint of endpoints)
      if (!sessionEndpoints.includes(endpoint)) addEndpoint(scope, endpoint, pipeline, rest)
  })
  await addBrowserRoutes(app, { signIn, log }, (scope) => {
    for (const endpoint of sessionEndpoints) addEndpoint(scope, endpoint, pipeline, rest)
  })
  await addConsoleApi(app, {
    origin: signIn?.origin,
    endpoints,
    add: (scope, endpoint, path) => addEndpoint(scope, endpoint, pipeline, { ...rest, isConsole: true }, path),
  })
  addPaymentCallbacks(app, pipeline.stores)
  refuseOtherMethods(app, endpoints)
  addIcon(app)
  addStatusFeed(app, { uptime: pipeline.stores.uptime, clock: pipeline.nowMs, origin: originOf(options.publicUrl) })
  addConsole(app, { files: options.console, streamUrl: options.streamUrl })
  const { securityContact: address } = options
  await addDocuments(app, endpoints, address === undefined ? undefined : { address, nowMs: pipeline.nowMs() })
  return app
}

function addEndpoint(
  app: FastifyInstance,
  endpoint: Endpoint,
  pipeline: PipelineDeps,
  rest: RestOptions,
  path = endpoint.path,
): void {
  const { method, deprecated } = endpoint
  app.route({
    method,
    url: fastifyPath(path),
    config: countedBy(endpoint, rest),
    ...(endpoint.keepsAnswers && { compress: false }),
    handler(request, reply) {
      if (deprecated) reply.headers(deprecationHeaders(deprecated, request.params as Record<string, string>))
      return answer(pipeline, restExchange(endpoint, request, reply, rest))
    },
  })
}

function countedBy({ access }: Endpoint, { isConsole }: RestOptions): FastifyContextConfig {
  if (access === 'public') return {}
  return { countedBy: isConsole || access.by === 'session' ? 'session' : 'key' }
}

/** Adds 405 answers for the methods that a path does not support. */
function refuseOtherMethods(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const byPath = Map.groupBy(endpoints, ({ path }) => path)
  for (const [path, sharing] of byPath) {
    const allowed = sharing.map(({ method }) => method)
    app.route({
      method: METHODS.filter((method) => !allowed.some((each) => each === method)),
      url: fastifyPath(path),
      handler: (_request, reply) => {
        reply.header('allow', allowed.join(', '))
        throw new ApiError('method_not_allowed', `This path supports only ${allowed.join(' and ')}.`)
      },
    })
  }
}

function originOf(publicUrl: string | undefined): string | undefined {
  return publicUrl === undefined ? undefined : new URL(publicUrl).origin
}

function httpsOrigin(publicUrl: string | undefined): string | undefined {
  return publicUrl?.startsWith('https:') ? new URL(publicUrl).origin : undefined
}

function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

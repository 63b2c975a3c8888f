import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '../domain/api-error.ts'
import { idempotencyKeyProblem } from '../domain/idempotency-key.ts'
import { type Endpoint, keyAccessOf } from '../endpoints/endpoint.ts'
import { inForm } from '../endpoints/forms.ts'
import { invalidParameter } from '../endpoints/schemas/read-values.ts'
import type { ApiMetrics } from '../pipeline/api-metrics.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import { presentedKey } from '../pipeline/presented-key.ts'
import { readBody } from '../pipeline/read-body.ts'
import { rateHeaders } from '../pipeline/status-headers.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { readsIdempotencyKey } from './openapi-headers.ts'
import { readInput } from './read-input.ts'
import { type Answered, handle, type RenderedAnswer, renderAnswer } from './render-answer.ts'
import { routeOf } from './route-of.ts'
import { requireSameSite } from './same-site.ts'
import { sendError } from './send-error.ts'
import { sessionToken } from './session-cookies.ts'

export interface RestOptions {
  readonly log: Logger
  /** Origin of the console, the only one allowed for session requests. */
  readonly origin: string | undefined
  /** Pages of the console ask, with the cookie of their session instead of a key. */
  readonly isConsole?: boolean
  readonly metrics: Pick<ApiMetrics, 'brokenFiles'>
  readonly kept: KeptAnswers
}

export const MAX_BODY_BYTES = 16 * 1024
const COST = 'x-credits-cost'

/** A REST request to an endpoint. */
export function restExchange(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, origin, metrics, kept, isConsole = false }: RestOptions,
): Exchange<Answered, RenderedAnswer, FastifyReply> {
  const search = searchOf(request.url)
  const isOfSession = endpoint.access !== 'public' && endpoint.access.by === 'session'
  const onBroken = (err: Error): void => {
    metrics.brokenFiles.inc()
    log.error({ err, requestId: request.id, path: routeOf(request) }, 'answer broken off')
  }
  return {
    transport: 'rest',
    operation: endpoint,
    route: endpoint.name,
    requestId: request.id,
    credentials: {
      // Public endpoints read the key only for formats that depend on the tier. Session endpoints never do: a proxy may
      // add an Authorization header of its own.
      key:
        isOfSession || isConsole || (endpoint.access === 'public' && !isTabular(search))
          ? undefined
          : presentedKey(request.headers),
      ip: request.ip,
      sessionToken: isOfSession || isConsole ? sessionToken(request) : undefined,
      isConsole,
    },
    onDisconnect(callback) {
      const { socket } = request.raw
      // The caller may have left while the request waited for its turn.
      if (socket.destroyed) callback()
      socket.once('close', callback)
      return () => socket.off('close', callback)
    },
    onAuthenticated({ caller, session }) {
      request.accountId = caller?.accountId ?? session?.accountId
      // Every answer to a key has its cost, and refusals are free; the receipt replaces the 0.
      if (caller !== undefined && keyAccessOf(endpoint) !== undefined) reply.header(COST, 0)
    },
    onAdmitted(rate) {
      reply.headers(rateHeaders(rate))
    },
    async readInput() {
      if ((isOfSession || isConsole) && endpoint.method !== 'GET') requireSameSite(request, origin)
      const body = endpoint.requestBody && parsedJson(await readBody(request.raw, MAX_BODY_BYTES))
      const { format, form, isSpreadsheetSafe, ...input } = readInput(endpoint, {
        params: request.params,
        search,
        body,
      })
      const formed = inForm(endpoint, form)
      return {
        given: input.query,
        requires: format === 'json' ? [] : ['tabular_formats'],
        isFree: endpoint.isFree?.(input.query) === true,
        isUse: true,
        idempotencyKey: idempotencyKeyOf(endpoint, request),
        fingerprint: () => fingerprintOf(endpoint, request.url),
        handle: (context) => handle(formed, format, { ...context, ...input, isHead: request.method === 'HEAD' }),
        render: (answered) => renderAnswer(formed, { format, isSpreadsheetSafe, kept }, answered, request, onBroken),
      }
    },
    send({ status, headers, content }, receipt) {
      if (receipt?.charged !== undefined) reply.header(COST, receipt.charged)
      if (receipt?.remaining !== undefined) reply.header('x-credits-remaining', receipt.remaining)
      if (receipt?.books !== undefined) reply.header('x-exact-books', receipt.books)
      if (receipt?.freeBooksLeft !== undefined) reply.header('x-free-books-left', receipt.freeBooksLeft)
      if (receipt?.replayed) reply.header('x-idempotent-replay', 'true')
      reply.status(status)
      if (status === 204) return reply.header('cache-control', 'no-store').send()
      reply.headers({ ...headers, ...joined(reply, headers, 'link'), ...joined(reply, headers, 'vary') })
      return reply.send(content)
    },
    refuse: (refusal) => sendError(log, refusal, request, reply),
  }
}

/** A header that is a list, with what it has already. */
function joined(reply: FastifyReply, headers: Readonly<Record<string, string>>, name: string): Record<string, string> {
  const parts = [reply.getHeader(name), headers[name]].filter((part) => part !== undefined)
  return parts.length === 0 ? {} : { [name]: parts.join(', ') }
}

export function searchOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
}

function isTabular(search: URLSearchParams): boolean {
  return (search.get('format') ?? 'json') !== 'json'
}

function parsedJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch (error) {
    throw new ApiError('invalid_request', 'The body is not valid JSON.', { cause: error })
  }
}

/** Independent of the order of parameters. */
function fingerprintOf({ method }: Endpoint, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  searchParams.sort()
  return createHash('sha256').update(`${method} ${pathname}?${searchParams.toString()}`).digest('hex')
}

/** Endpoints for which a repeated request makes no difference ignore the header. */
function idempotencyKeyOf(endpoint: Endpoint, { headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || !readsIdempotencyKey(endpoint)) return undefined
  const problem = idempotencyKeyProblem(String(key))
  if (problem !== undefined) throw invalidParameter('Idempotency-Key', problem)
  return String(key)
}

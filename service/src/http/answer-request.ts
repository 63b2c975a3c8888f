import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessControl, Admission } from '../access/access-control.ts'
import type { AccountConcurrency } from '../access/account-concurrency.ts'
import type { Caller } from '../access/caller.ts'
import { ApiError } from '../domain/api-error.ts'
import { requireScope } from '../domain/scope.ts'
import { requireUse } from '../domain/tier.ts'
import {
  type Answer,
  type CallerContext,
  type Endpoint,
  type EndpointRequest,
  type KeyAccess,
  keyAccessOf,
  type StoredFileAnswer,
} from '../endpoints/endpoint.ts'
import { inTime as inTimeUntil } from '../endpoints/shared/in-time.ts'
import type { Stores } from '../endpoints/stores.ts'
import { type Format, type Input, readInput } from './read-input.ts'
import { asideHeaders } from './reply-headers.ts'
import { openStoredFile } from './stored-file.ts'
import { flatten } from './tabular.ts'

export interface AnswerDeps {
  readonly gate: AccessControl
  readonly turns: AccountConcurrency
  readonly stores: Stores
  readonly nowMs: () => number
}

interface Rendered {
  readonly content: string | Uint8Array | Readable
  readonly type: string
  readonly headers: Record<string, string>
  readonly status?: number
}

interface Asked {
  readonly answer: Omit<Answer<unknown>, 'body'>
  readonly rendered: Rendered
  readonly heldAs?: string
}

const MEDIA_TYPES: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

/** The walk of one request after its caller is known: read, may they, is it in their rate, answer, pay, send. */
export async function answerRequest(
  deps: AnswerDeps,
  endpoint: Endpoint,
  caller: Caller | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const search = searchOf(request.url)
  const input = readInput(endpoint, { params: request.params, search, body: request.body })
  requireFormat(input.format, caller ?? (await callerOf(deps, input.format, request)))
  const access = keyAccessOf(endpoint)
  const callerContext = caller && access && meansOf(deps, caller, await admit(deps, access, caller, reply))

  const idempotencyKey = headerOf(request, 'idempotency-key')
  const price = priceOf(endpoint, access, input)
  const buy = async (): Promise<Asked> => {
    if (caller !== undefined && price > 0) await deps.gate.requireCredits(caller, price, idempotencyKey)
    const asked = await inTime(request, (signal) =>
      ask(endpoint, input, { ...questionOf(deps, access, caller, input, signal), callerContext }, request, reply),
    )
    if (caller !== undefined) await pay(deps, endpoint, caller, asked, asked.answer.credits ?? price, request, reply)
    return asked
  }
  const isCostly = caller !== undefined && access?.scope === 'history'
  const { answer, rendered } = isCostly ? await deps.turns.take(caller.accountId, buy) : await buy()
  if (answer.emptyReason !== undefined) reply.header('x-empty-reason', answer.emptyReason)
  reply.header('cache-control', cacheControl(endpoint, answer))
  reply.headers(rendered.headers).type(rendered.type)
  if (caller !== undefined) deps.gate.noteServed(caller, endpoint.name)
  return reply.status(rendered.status ?? answer.status ?? endpoint.status ?? 200).send(rendered.content)
}

/** What is not delivered is not charged: neither headers alone, nor the word that nothing has changed. */
async function pay(
  { gate }: AnswerDeps,
  endpoint: Endpoint,
  caller: Caller,
  { rendered, heldAs }: Asked,
  price: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const credits = request.method === 'HEAD' || rendered.status === 304 ? 0 : price
  reply.header('x-credits-cost', credits)
  if (credits === 0) return
  const idempotencyKey = headerOf(request, 'idempotency-key')
  try {
    const receipt = await gate.charge(caller, {
      credits,
      endpoint: endpoint.name,
      fingerprint: heldAs ?? fingerprintOf(endpoint, request.url),
      requestId: request.id,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(heldAs !== undefined && { heldAs }),
    })
    reply.header('x-credits-cost', receipt.charged)
    reply.header('x-credits-remaining', receipt.remaining)
    if (receipt.replayed) reply.header('x-idempotent-replay', 'true')
  } catch (error) {
    if (rendered.content instanceof Readable) rendered.content.destroy()
    throw error
  }
}

/** A public answer as a flat file is still a matter of the tier, so there a key counts after all. */
async function callerOf({ gate }: AnswerDeps, format: Format, request: FastifyRequest): Promise<Caller | undefined> {
  const key = headerOf(request, 'x-api-key')
  return format === 'json' || key === undefined ? undefined : gate.authenticate(key, request.ip)
}

/** Flat files and Parquet are a matter of the tier, and whoever shows no key has none. */
function requireFormat(format: Format, caller: Caller | undefined): void {
  if (format !== 'json') requireUse(caller?.tier ?? 'free', 'tabular_formats')
}

async function admit({ gate }: AnswerDeps, access: KeyAccess, caller: Caller, reply: FastifyReply): Promise<Admission> {
  if (access.scope !== undefined) requireScope(caller.scopes, access.scope)
  if (access.capability !== undefined) requireUse(caller.tier, access.capability, statusOf(access))
  const admission = await gate.admit(caller)
  const { limit, remaining, resetSeconds } = admission
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    reply.header(`${prefix}-limit`, limit)
    reply.header(`${prefix}-remaining`, remaining)
    reply.header(`${prefix}-reset`, resetSeconds)
  }
  return admission
}

function meansOf({ gate }: AnswerDeps, caller: Caller, rate: Admission): CallerContext {
  return {
    rate,
    spendable: () => gate.spendable(caller),
    async requireCredits(credits, heldAs) {
      if (!(await gate.holds(caller, heldAs))) await gate.requireCredits(caller, credits)
    },
  }
}

function priceOf(endpoint: Endpoint, access: KeyAccess | undefined, { query }: Input): number {
  return access?.credits === undefined || endpoint.isFree?.(query) === true ? 0 : access.credits
}

function questionOf(
  { stores, nowMs }: AnswerDeps,
  access: KeyAccess | undefined,
  caller: Caller | undefined,
  { params, query, body }: Input,
  signal: AbortSignal,
): Omit<EndpointRequest<unknown, unknown, unknown>, 'callerContext'> {
  return {
    params,
    query,
    body,
    caller: caller,
    stores,
    nowMs: nowMs(),
    signal,
    require: (capability) => requireUse(caller?.tier ?? 'free', capability, access && statusOf(access)),
  }
}

function statusOf({ tierStatus }: KeyAccess): { status?: 402 } {
  return tierStatus === undefined ? {} : { status: tierStatus }
}

/** The answer to a question, in the form that was asked for. */
export async function ask(
  endpoint: Endpoint,
  { format }: Input,
  question: EndpointRequest<unknown, unknown, unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Asked> {
  const file = await endpoint.file?.(question)
  if (file !== undefined) return renderFile(file, format, request, reply)
  if (format === 'parquet' && endpoint.parquet === undefined) throw notInThisFormat('this answer is not a file')
  const type = MEDIA_TYPES[format]
  if (format === 'parquet' && endpoint.parquet !== undefined) {
    const { pieces, ...answer } = await endpoint.parquet(question)
    const content = Buffer.concat(await Array.fromAsync(pieces))
    return { answer, rendered: { content, type, headers: asideHeaders(answer.aside ?? {}) } }
  }
  const answer: Answer<unknown> = await endpoint.handle(question)
  const headers = asideHeaders(answer.aside ?? {})
  if (format === 'json') {
    const content = endpoint.render?.(answer.body) ?? JSON.stringify(answer.body)
    return { answer, rendered: { content, type, headers } }
  }
  const { text, rowCount, envelope } = flatten(endpoint, answer.body, format === 'tsv' ? 'tsv' : 'csv')
  const disposition = `attachment; filename="${endpoint.name}.${format}"`
  const more = { 'content-disposition': disposition, 'x-row-count': String(rowCount), ...asideHeaders(envelope) }
  return { answer, rendered: { content: text, type, headers: { ...headers, ...more } } }
}

async function renderFile(
  { file, heldAs, ...answer }: StoredFileAnswer,
  format: Format,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Asked> {
  if (format === 'csv' || format === 'tsv') throw notInThisFormat('this file is Parquet')
  const { status, headers, content } = await openStoredFile(request, reply, file)
  const all = { ...headers, ...asideHeaders(answer.aside ?? {}) }
  return { answer, heldAs, rendered: { content, status, type: file.type, headers: all } }
}

function notInThisFormat(problem: string): ApiError {
  return new ApiError('invalid_request', `format: ${problem}`, {
    details: { problems: [{ parameter: 'format', problem }] },
  })
}

/** The same, for as long as the caller's connection is open. */
export function inTime<T>(request: FastifyRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { socket } = request.raw
  return inTimeUntil((onGone) => {
    socket.once('close', onGone)
    return () => socket.off('close', onGone)
  }, work)
}

export function searchOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
}

function cacheControl({ access }: Endpoint, { maxAgeSeconds }: Asked['answer']): string {
  if (maxAgeSeconds === undefined) return 'no-store'
  return `${access === 'public' ? 'public' : 'private'}, max-age=${maxAgeSeconds}`
}

/** The same question gives the same text, in whatever order its parameters stand. */
function fingerprintOf(endpoint: Endpoint, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  searchParams.sort()
  return createHash('sha256').update(`${endpoint.method} ${pathname}?${searchParams.toString()}`).digest('hex')
}

export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

import { BookreelError, errorOf, failureOf } from './bookreel-error.ts'
import type { CallOptions } from './call-options.ts'
import { type DownloadedFile, type DownloadOptions, download } from './download.ts'
import { type Address, addressOf, type Input, type Operation } from './operation.ts'
import { Retries } from './retries.ts'

export interface CallerSettings extends Omit<CallOptions, 'idempotencyKey'> {
  readonly baseUrl: string
  readonly key: string | undefined
  readonly fetch: typeof fetch
}

const RETRIES = 4
/** The service repeats a paid response at most this often for one `Idempotency-Key`. */
const MAX_REPEATS = 5
const TIMEOUT_MS = 60_000

/** Sends requests, and retries where that can help. */
export class Caller {
  readonly #settings: CallerSettings

  constructor(settings: CallerSettings) {
    this.#settings = settings
  }

  async json<T>(operation: Operation, input: Input, options: CallOptions = {}): Promise<T> {
    const { body } = await this.#request(operation, input, options, readJson)
    return body as T
  }

  async *pages<T>(operation: Operation, input: Input, options: CallOptions = {}): AsyncGenerator<T, void, undefined> {
    if (options.idempotencyKey !== undefined)
      throw new TypeError('idempotencyKey cannot be used for pages: each page is charged separately.')
    let cursor = input.cursor
    do {
      const pageInput = { limit: operation.pages?.limit, ...input, cursor }
      const { body, headers } = await this.#request(operation, pageInput, options, readJson)
      yield body as T
      cursor = nextCursor(body, headers)
    } while (cursor !== undefined)
  }

  async *items<T>(operation: Operation, input: Input, options: CallOptions = {}): AsyncGenerator<T, void, undefined> {
    const member = operation.pages?.member
    for await (const page of this.pages<unknown>(operation, input, options)) {
      yield* (member === undefined ? page : (page as Record<string, unknown>)[member]) as T[]
    }
  }

  /** The unparsed response in the requested format. */
  async response(operation: Operation, input: Input, options: CallOptions = {}): Promise<Response> {
    const { body, headers } = await this.#request(operation, input, options, (answer) => answer.blob())
    return new Response(body, { headers })
  }

  async file(operation: Operation, input: Input, options: DownloadOptions = {}): Promise<DownloadedFile> {
    const retries = this.#retries(operation, options)
    const address = addressOf(this.#settings.baseUrl, operation, input)
    const send = (headers: Record<string, string>, signal: AbortSignal): Promise<Response> =>
      this.#send(operation, address, { ...options, signal }, headers)
    return download(send, retries, { ...options, timeoutMs: this.#timeoutMs(options), signal: this.#signal(options) })
  }

  async #request<T>(operation: Operation, input: Input, options: CallOptions, read: (answer: Response) => Promise<T>) {
    const retries = this.#retries(operation, options)
    const address = addressOf(this.#settings.baseUrl, operation, input)
    const idempotency = operation.isPriced ? { 'idempotency-key': options.idempotencyKey ?? newIdempotencyKey() } : {}
    for (;;) {
      const signal = this.#signal(options)
      const timeout = AbortSignal.timeout(this.#timeoutMs(options))
      const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
      try {
        const answer = await this.#send(operation, address, { ...options, signal: either }, idempotency)
        // Reading the body is part of the attempt: a response that breaks off was charged but not delivered.
        return { body: await read(answer), headers: answer.headers }
      } catch (error) {
        await retries.wait(error instanceof BookreelError ? error : failureOf(error, timeout))
      }
    }
  }

  async #send(
    operation: Operation,
    { url, body }: Address,
    options: CallOptions,
    extraHeaders: Record<string, string>,
  ): Promise<Response> {
    const { key, fetch: send } = this.#settings
    const headers = {
      accept: '*/*',
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...extraHeaders,
    }
    const signal = options.signal ?? null
    const posted = body === undefined ? {} : { method: 'POST', body }
    const answer = await send(url, { headers, signal, redirect: 'manual', ...posted })
    if (answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400)) {
      const to = answer.headers.get('location')
      throw new BookreelError(
        'redirected',
        `The service redirects${to === null ? ' to another address' : ` to ${to}`}. Set baseUrl to that address.`,
      )
    }
    if (!answer.ok) {
      const error = await errorOf(answer.clone())
      const isExpected = error.code === 'unexpected_answer' && operation.otherStatuses?.includes(answer.status)
      if (isExpected !== true) throw error
    }
    this.#reportHeaders(operation, answer.headers, options)
    return answer
  }

  #reportHeaders({ name }: Operation, headers: Headers, options: CallOptions): void {
    const onAnswer = options.onAnswer ?? this.#settings.onAnswer
    onAnswer?.({
      operation: name,
      requestId: headers.get('x-request-id') ?? undefined,
      creditsCost: numberOf(headers.get('x-credits-cost')),
      creditsRemaining: numberOf(headers.get('x-credits-remaining')),
      rateRemaining: numberOf(headers.get('ratelimit-remaining')),
      emptyReason: headers.get('x-empty-reason') ?? undefined,
    })
  }

  #retries({ isPriced }: Operation, options: CallOptions): Retries {
    const wanted = options.retries ?? this.#settings.retries ?? RETRIES
    return new Retries(isPriced ? Math.min(wanted, MAX_REPEATS) : wanted, this.#signal(options))
  }

  #timeoutMs(options: CallOptions): number {
    return options.timeoutMs ?? this.#settings.timeoutMs ?? TIMEOUT_MS
  }

  #signal({ signal }: CallOptions): AbortSignal | undefined {
    const clientSignal = this.#settings.signal
    if (signal === undefined || clientSignal === undefined) return signal ?? clientSignal
    return AbortSignal.any([signal, clientSignal])
  }
}

async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text()
  try {
    return JSON.parse(text)
  } catch (cause) {
    const facts = { status: answer.status, cause }
    throw new BookreelError('unexpected_answer', 'The response is not valid JSON.', facts)
  }
}

function nextCursor(page: unknown, headers: Headers): string | undefined {
  if (Array.isArray(page)) return headers.get('x-next-cursor') ?? undefined
  return (page as { next_cursor?: string | null }).next_cursor ?? undefined
}

function numberOf(text: string | null): number | undefined {
  return text === null ? undefined : Number(text)
}

/** `crypto.randomUUID` is not used because browsers provide it only on secure pages. */
function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

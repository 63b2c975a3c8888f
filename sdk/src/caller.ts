import { BookreelError, errorOf, failureOf } from './bookreel-error.ts'
import type { CallOptions } from './call-options.ts'
import { type DownloadedFile, type DownloadOptions, download } from './download.ts'
import { addressOf, type Input, type Operation } from './operation.ts'
import { Retries } from './retries.ts'

export interface CallerSettings extends Omit<CallOptions, 'idempotencyKey'> {
  readonly baseUrl: string
  readonly key: string | undefined
  readonly fetch: typeof fetch
}

const RETRIES = 4
/** The service lets a paid answer be repeated so often under one key. */
const MOST_REPEATS = 5
const TIMEOUT_MS = 60_000

/** Asks, and asks again where that helps. */
export class Caller {
  readonly #settings: CallerSettings

  constructor(settings: CallerSettings) {
    this.#settings = settings
  }

  async json<T>(operation: Operation, input: Input, options: CallOptions = {}): Promise<T> {
    const { body } = await this.#ask(operation, input, options, readJson)
    return body as T
  }

  async *pages<T>(operation: Operation, input: Input, options: CallOptions = {}): AsyncGenerator<T, void, undefined> {
    if (options.idempotencyKey !== undefined)
      throw new TypeError('Each page is paid by itself: one key can not name all.')
    let cursor = input.cursor
    do {
      const asked = { limit: operation.pages?.limit, ...input, cursor }
      const { body, headers } = await this.#ask(operation, asked, options, readJson)
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

  /** The answer as it came, in whatever format was asked for. */
  async response(operation: Operation, input: Input, options: CallOptions = {}): Promise<Response> {
    const { body, headers } = await this.#ask(operation, input, options, (answer) => answer.blob())
    return new Response(body, { headers })
  }

  async file(operation: Operation, input: Input, options: DownloadOptions = {}): Promise<DownloadedFile> {
    const retries = this.#retries(operation, options)
    const address = addressOf(this.#settings.baseUrl, operation, input)
    const send = (headers: Record<string, string>, signal: AbortSignal): Promise<Response> =>
      this.#send(operation, address, { ...options, signal }, headers)
    return download(send, retries, { ...options, timeoutMs: this.#timeoutMs(options), signal: this.#signal(options) })
  }

  async #ask<T>(operation: Operation, input: Input, options: CallOptions, read: (answer: Response) => Promise<T>) {
    const retries = this.#retries(operation, options)
    const address = addressOf(this.#settings.baseUrl, operation, input)
    const named = operation.isPriced ? { 'idempotency-key': options.idempotencyKey ?? newName() } : {}
    for (;;) {
      const signal = this.#signal(options)
      const late = AbortSignal.timeout(this.#timeoutMs(options))
      const either = signal === undefined ? late : AbortSignal.any([signal, late])
      try {
        const answer = await this.#send(operation, address, { ...options, signal: either }, named)
        // The body is a part of the try: an answer that broke off in the middle was paid but not delivered.
        return { body: await read(answer), headers: answer.headers }
      } catch (error) {
        await retries.wait(error instanceof BookreelError ? error : failureOf(error, late))
      }
    }
  }

  async #send(
    operation: Operation,
    address: string,
    options: CallOptions,
    more: Record<string, string>,
  ): Promise<Response> {
    const { key, fetch: send } = this.#settings
    const headers = { accept: '*/*', ...(key !== undefined && { 'x-api-key': key }), ...more }
    const signal = options.signal ?? null
    const answer = await send(address, { headers, signal, redirect: 'manual' })
    if (answer.type === 'opaqueredirect' || (answer.status >= 300 && answer.status < 400)) {
      const to = answer.headers.get('location')
      throw new BookreelError('redirected', `The service is elsewhere${to === null ? '' : `: ${to}`}. Set baseUrl.`)
    }
    if (!answer.ok) {
      const error = await errorOf(answer.clone())
      const isReply = error.code === 'unexpected_answer' && operation.otherStatuses?.includes(answer.status)
      if (isReply !== true) throw error
    }
    this.#tell(operation, answer.headers, options)
    return answer
  }

  #tell({ name }: Operation, headers: Headers, options: CallOptions): void {
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
    return new Retries(isPriced ? Math.min(wanted, MOST_REPEATS) : wanted, this.#signal(options))
  }

  #timeoutMs(options: CallOptions): number {
    return options.timeoutMs ?? this.#settings.timeoutMs ?? TIMEOUT_MS
  }

  #signal({ signal }: CallOptions): AbortSignal | undefined {
    const ofAll = this.#settings.signal
    if (signal === undefined || ofAll === undefined) return signal ?? ofAll
    return AbortSignal.any([signal, ofAll])
  }
}

async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text()
  try {
    return JSON.parse(text)
  } catch (cause) {
    const facts = { status: answer.status, cause }
    throw new BookreelError('unexpected_answer', 'The answer is no JSON.', facts)
  }
}

function nextCursor(page: unknown, headers: Headers): string | undefined {
  if (Array.isArray(page)) return headers.get('x-next-cursor') ?? undefined
  return (page as { next_cursor?: string | null }).next_cursor ?? undefined
}

function numberOf(text: string | null): number | undefined {
  return text === null ? undefined : Number(text)
}

/** Not `randomUUID`, which browsers have on secure pages only. */
function newName(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

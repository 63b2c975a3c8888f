import type { ErrorAnswer } from './generated/api-types.ts'

/** What the service says, and what can go wrong on the way to it. */
export type ErrorCode =
  | ErrorAnswer['error']
  /** The service was not reached, or the connection broke. */
  | 'network'
  /** No whole answer within `timeoutMs`. */
  | 'timeout'
  /** The service lives at another address; a key is never sent there unasked. */
  | 'redirected'
  /** The answer is none of this service's: something in between spoke. */
  | 'unexpected_answer'
  /** A file whose bytes are not those that its hash names. */
  | 'corrupt_file'
  /** Whoever reads a stream fell so far behind that nothing sensible could be kept. */
  | 'slow_reader'
  /** Codes of the stream, and those that a newer service may have. */
  | (string & {})

export interface ErrorFacts {
  readonly status?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Every failure of a call or a stream, except that a signal was fired: then its own reason is thrown. */
export class BookreelError extends Error {
  override readonly name = 'BookreelError'
  readonly code: ErrorCode
  /** Of HTTP; undefined when no answer came, and for streams. */
  readonly status: number | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Tell us this when you ask about it. */
  readonly requestId: string | undefined
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = code
    this.status = facts.status
    this.details = facts.details
    this.requestId = facts.requestId
    this.retryAfterMs = facts.retryAfterMs
  }
}

/** The error that an answer with a bad status tells of. */
export async function errorOf(response: Response): Promise<BookreelError> {
  const { status, headers } = response
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now())
  const requestId = headers.get('x-request-id') ?? undefined
  const text = await response.text()
  const answer = readAnswer(text)
  if (answer === undefined) {
    const message = `Something between here and the service answered ${status}.`
    return new BookreelError('unexpected_answer', message, { status, retryAfterMs, requestId })
  }
  const { error, message, details, request_id } = answer
  return new BookreelError(error, message, { status, details, retryAfterMs, requestId: request_id ?? requestId })
}

/** A try that brought no answer. */
export function failureOf(error: unknown, late: AbortSignal): BookreelError {
  if (late.aborted) return new BookreelError('timeout', 'No whole answer came in time.', { cause: error })
  return new BookreelError('network', 'The service was not reached, or the connection broke.', { cause: error })
}

function readAnswer(text: string): ErrorAnswer | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null) return undefined
    const { error, message } = answer as Partial<ErrorAnswer>
    return typeof error === 'string' && typeof message === 'string' ? (answer as ErrorAnswer) : undefined
  } catch {
    return undefined
  }
}

/** Seconds or a date; undefined when there is none that can be read. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined
}

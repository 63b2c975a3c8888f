import type { ErrorAnswer } from './generated/api-types.ts'

/** Error codes of the service, and of failures between client and service. */
export type KnownErrorCode =
  | ErrorAnswer['error']
  /** The service could not be reached, or the connection broke. */
  | 'network'
  /** No complete response within `timeoutMs`. */
  | 'timeout'
  /** The service redirects to another address; the key is never sent there automatically. */
  | 'redirected'
  /** The response is not from this service, for example from a proxy. */
  | 'unexpected_answer'
  /** The SHA-256 of a downloaded file does not match. */
  | 'corrupt_file'
  /** This runtime has no WebSocket and none was given. */
  | 'no_websocket'
  /** The reader of a stream is too slow and the buffer is full. */
  | 'slow_reader'

/** Also codes of the stream protocol, and codes of newer services. */
export type ErrorCode = KnownErrorCode | (string & {})

export interface ErrorFacts {
  readonly status?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Every failure of a call or a stream. An aborted signal throws its own reason instead. */
export class BookreelError extends Error {
  override readonly name = 'BookreelError'
  readonly code: ErrorCode
  /** HTTP status; undefined without a response, and for streams. */
  readonly status: number | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Include this id when you report a problem. */
  readonly requestId: string | undefined
  /** Wait time requested by the service. */
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

/** Reads the error from a response with an error status. */
export async function errorOf(response: Response): Promise<BookreelError> {
  const { status, headers } = response
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now())
  const requestId = headers.get('x-request-id') ?? undefined
  const text = await response.text()
  const answer = readAnswer(text)
  if (answer === undefined) {
    const message = `Received status ${status} without an error of this service. Check baseUrl, and proxies between you and the service.`
    return new BookreelError('unexpected_answer', message, { status, retryAfterMs, requestId })
  }
  const { error, message, details, request_id } = answer
  return new BookreelError(error, message, { status, details, retryAfterMs, requestId: request_id ?? requestId })
}

/** The error of an attempt without a complete response. */
export function failureOf(error: unknown, timeout: AbortSignal): BookreelError {
  if (timeout.aborted)
    return new BookreelError('timeout', 'The service did not send a complete response in time.', { cause: error })
  return new BookreelError('network', 'The service could not be reached, or the connection broke.', { cause: error })
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

/** Parses seconds or an HTTP date; undefined when the header is missing or invalid. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined
}

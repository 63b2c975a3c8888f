import { BookreelError, type ErrorAnswer } from '@bookreel/sdk'
import { noteActivity } from './activity.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface SessionAnswer<T> {
  readonly body: T
  readonly headers: Headers
}

/** The header that pages of other sites cannot send with our cookie. */
export const FROM_CONSOLE = { 'x-requested-with': 'bookreel' } as const
const TIMEOUT_MS = 30_000
export const SESSION_PATH = '/auth/session'

/** Sends a request of the signed-in user. Throws a `BookreelError`. */
export async function sessionRequest<T>(
  path: string,
  method: Method = 'GET',
  body?: unknown,
  idempotencyKey?: string,
): Promise<T> {
  return (await sessionAnswer<T>(path, method, body, idempotencyKey)).body
}

export async function sessionAnswer<T>(
  path: string,
  method: Method = 'GET',
  body?: unknown,
  idempotencyKey?: string,
): Promise<SessionAnswer<T>> {
  const { response, text } = await send(path, method, body, idempotencyKey)
  const content = text === '' ? undefined : readJson(text)
  if (!response.ok || (text !== '' && content === undefined)) throw refusalOf(response, content)
  noteActivity(Date.now())
  return { body: content as T, headers: response.headers }
}

/** The answer as it is, such as csv. Throws a `BookreelError`. */
export async function sessionText(path: string): Promise<SessionAnswer<string>> {
  const { response, text } = await send(path, 'GET', undefined, undefined)
  if (!response.ok) throw refusalOf(response, readJson(text))
  noteActivity(Date.now())
  return { body: text, headers: response.headers }
}

function refusalOf({ status, headers }: Response, content: unknown): BookreelError {
  const answer = content as Partial<ErrorAnswer> | undefined
  const requestId = answer?.request_id ?? headers.get('x-request-id') ?? undefined
  return new BookreelError(answer?.error ?? 'unexpected_answer', answer?.message ?? `HTTP status ${status}.`, {
    status,
    requestId,
    details: answer?.details,
  })
}

async function send(
  path: string,
  method: Method,
  body: unknown,
  idempotencyKey: string | undefined,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(path, {
      method,
      headers: {
        // The page preloads the session; a browser uses that answer only for a request with the same headers.
        ...(path !== SESSION_PATH && FROM_CONSOLE),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { response, text: await response.text() }
  } catch (cause) {
    const isTimeout = cause instanceof DOMException && cause.name === 'TimeoutError'
    throw new BookreelError(isTimeout ? 'timeout' : 'network', 'The service could not be reached.', { cause })
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

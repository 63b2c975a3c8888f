import { ApiError } from '../domain/api-error.ts'

const LONGEST_ANSWER_MS = 8_000
const RETRY_SECONDS = 2

/** Calls back when the caller has left: a socket closes, a signal is aborted. Returns what stops listening. */
export type Departure = (onLeft: () => void) => () => void

/** The caller closed the connection before the answer was ready, so nothing is charged and nobody reads a refusal. */
export class CallerLeft extends Error {
  /** How such a request is recorded. */
  static readonly STATUS = 499
}

/** Gives up when the work takes too long or the caller has left; without a departure there is no limit. */
export async function inTime<T>(
  departure: Departure | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  if (departure === undefined) return work(over.signal)
  let hasLeft = false
  const stopListening = departure(() => {
    hasLeft = true
    over.abort()
  })
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    over.abort()
    reject(tooSlow(over.signal.reason))
  }, LONGEST_ANSWER_MS)
  try {
    // Not all work watches the signal: it may wait for a connection, or ask one store after the other.
    const result = await Promise.race([work(over.signal), givenUp])
    if (hasLeft) throw new CallerLeft()
    return result
  } catch (error) {
    if (hasLeft) throw new CallerLeft('The caller left', { cause: error })
    if (isLate && !(error instanceof ApiError)) throw tooSlow(error)
    throw error
  } finally {
    clearTimeout(timer)
    stopListening()
  }
}

function tooSlow(cause: unknown): ApiError {
  return new ApiError('store_unavailable', 'The answer took too long and was given up. Try a shorter range.', {
    cause,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

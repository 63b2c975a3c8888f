import { ApiError } from '../../domain/api-error.ts'

const LONGEST_ANSWER_MS = 8_000
const RETRY_SECONDS = 2

/** What tells that a caller has gone: a socket closes, a signal is aborted. Gives what stops listening. */
export type Departure = (onGone: () => void) => () => void

/** Gives up when it takes too long or the caller has gone. */
export async function inTime<T>(departure: Departure, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController()
  const stopListening = departure(() => over.abort())
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    over.abort()
    reject(tooSlow(over.signal.reason))
  }, LONGEST_ANSWER_MS)
  try {
    // Not all work minds the signal: it may wait for a connection, or ask one store after the other.
    return await Promise.race([work(over.signal), givenUp])
  } catch (error) {
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

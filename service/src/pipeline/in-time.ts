import { ApiError } from '../domain/api-error.ts'
import { forCaller } from '../stores/engines/waiting-caller.ts'

const TIME_LIMIT_MS = 8_000
const RETRY_SECONDS = 2

/** Registers a callback for when the caller disconnects. Returns a function that removes it. */
export type OnDisconnect = (callback: () => void) => () => void

/** The caller disconnected before the answer was ready; nothing is charged. */
export class CallerDisconnected extends Error {
  /** Recorded in metrics; never sent. */
  static readonly STATUS = 499
}

/** Aborts work that exceeds the time limit or whose caller disconnects; without `onDisconnect` there is no limit. */
export async function inTime<T>(
  onDisconnect: OnDisconnect | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController()
  if (onDisconnect === undefined) return work(abort.signal)
  let isDisconnected = false
  const stopListening = onDisconnect(() => {
    isDisconnected = true
    abort.abort()
  })
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    abort.abort()
    reject(tooSlow(abort.signal.reason))
  }, TIME_LIMIT_MS)
  try {
    // Some work does not watch the signal, for example while it waits for a connection.
    const result = await Promise.race([forCaller({ signal: abort.signal }, () => work(abort.signal)), timedOut])
    if (isDisconnected) throw new CallerDisconnected()
    return result
  } catch (error) {
    if (isDisconnected) throw new CallerDisconnected('The caller disconnected', { cause: error })
    if (isLate && !(error instanceof ApiError)) throw tooSlow(error)
    throw error
  } finally {
    clearTimeout(timer)
    stopListening()
  }
}

function tooSlow(cause: unknown): ApiError {
  return new ApiError(
    'store_unavailable',
    `The answer took longer than ${TIME_LIMIT_MS / 1_000} s. Try a shorter range, or send fewer requests at once.`,
    {
      cause,
      retryAfterSeconds: RETRY_SECONDS,
    },
  )
}

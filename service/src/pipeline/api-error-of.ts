import { ApiError } from '../domain/api-error.ts'
import { isStoreAway } from '../stores/engines/store-away.ts'

const RETRY_SECONDS = 2
const INTERNAL = 'Internal error of the service. Try again; if it persists, report the request_id.'

/** Converts any error to an API error. The text of an unknown error is not sent, because it may contain internals. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (!isStoreAway(error)) return new ApiError('internal', INTERNAL, { cause: error })
  return new ApiError('store_unavailable', 'A store needed for this answer is unavailable. Try again in a moment.', {
    cause: error,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

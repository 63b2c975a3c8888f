import { ApiError } from '../../domain/api-error.ts'
import { isStoreAway } from '../../stores/engines/store-away.ts'

/** Converts any error to an API error. Unknown errors become `internal`, without their message. */
export function streamErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isStoreAway(error)) {
    return new ApiError(
      'store_unavailable',
      'A database that this request needs is not available. Try again in a few seconds.',
      {
        cause: error,
      },
    )
  }
  return new ApiError('internal', 'Internal error. Try again, and report it if it happens again.', { cause: error })
}

import { ApiError } from '../domain/api-error.ts'
import { isStoreAway } from '../stores/engines/store-away.ts'

const RETRY_SECONDS = 2

/** Any error as an API error. An unknown one is a defect of the service, and its text stays inside. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (!isStoreAway(error)) return new ApiError('internal', 'This is a defect of ours.', { cause: error })
  return new ApiError('store_unavailable', 'A store needed for this answer is away. Try again in a moment.', {
    cause: error,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

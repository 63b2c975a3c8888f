import { ApiError } from '../../domain/api-error.ts'
import { isStoreAway } from '../../stores/engines/store-away.ts'

/** Every error as a fault. What is none of the known is a defect of ours, and says nothing about itself. */
export function streamErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isStoreAway(error)) {
    return new ApiError('store_unavailable', 'A store needed for this is away. Try again in a moment.', {
      cause: error,
    })
  }
  return new ApiError('internal', 'This is a defect of ours.', { cause: error })
}

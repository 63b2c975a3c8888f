import { ApiError } from '../domain/api-error.ts'
import { apiErrorOf as faultOfAnswer } from '../endpoints/shared/api-error-of.ts'

/** Every error as a fault, those of the HTTP framework too. */
export function apiErrorOf(error: unknown): ApiError {
  const fault = faultOfAnswer(error)
  return fault.code === 'internal' ? (frameworkFault(error) ?? fault) : fault
}

/** What the HTTP framework refuses before any endpoint sees it. */
function frameworkFault(error: unknown): ApiError | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  switch (status) {
    case 400:
      return new ApiError('invalid_request', 'The request could not be read.', { cause: error })
    case 414:
      return new ApiError('not_found', 'Nothing has a name as long as this.', { cause: error })
    case 413:
      return new ApiError('payload_too_large', 'The body is too large.', { cause: error })
    case 415:
      return new ApiError('unsupported_media_type', 'Send application/json.', { cause: error })
    default:
      return undefined
  }
}

import { ApiError } from '../domain/api-error.ts'
import { apiErrorOf as errorOfAnswer } from '../pipeline/api-error-of.ts'

/** Any error as an API error, those of the HTTP framework too. */
export function apiErrorOf(error: unknown): ApiError {
  const refusal = errorOfAnswer(error)
  return refusal.code === 'internal' ? (frameworkError(error) ?? refusal) : refusal
}

/** Refusals of the framework, before any endpoint is reached. */
function frameworkError(error: unknown): ApiError | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  switch (status) {
    case 400:
      return new ApiError('invalid_request', 'The request could not be read.', { cause: error })
    case 414:
      return new ApiError('not_found', 'The path is too long.', { cause: error })
    case 413:
      return new ApiError('payload_too_large', 'The body is too large.', { cause: error })
    case 415:
      return new ApiError('unsupported_media_type', 'Send application/json.', { cause: error })
    default:
      return undefined
  }
}

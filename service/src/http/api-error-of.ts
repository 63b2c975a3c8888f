import { ApiError } from '../domain/api-error.ts'
import { apiErrorOf as pipelineError } from '../pipeline/api-error-of.ts'

/** Converts any error to an API error, including errors of the HTTP framework. */
export function apiErrorOf(error: unknown): ApiError {
  const refusal = pipelineError(error)
  return refusal.code === 'internal' ? (frameworkError(error) ?? refusal) : refusal
}

/** Errors of the framework before a request reaches an endpoint. */
function frameworkError(error: unknown): ApiError | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  switch (status) {
    case 400:
      return new ApiError('invalid_request', 'The request is not valid HTTP or its body can not be parsed.', {
        cause: error,
      })
    case 414:
      return new ApiError('not_found', 'The path is too long.', { cause: error })
    case 413:
      return new ApiError('payload_too_large', 'The body is too large.', { cause: error })
    case 415:
      return new ApiError('unsupported_media_type', 'The body must be JSON. Send Content-Type: application/json.', {
        cause: error,
      })
    default:
      return undefined
  }
}

import { Fault } from '../domain/faults.ts'
import { isStoreAway } from '../stores/store-away.ts'

const RETRY_SECONDS = 2

/** Every error as a fault. What is none of the known is a defect of ours, and says nothing about itself. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (isStoreAway(error)) {
    return new Fault('store_unavailable', 'A store needed for this answer is away. Try again in a moment.', {
      cause: error,
      retryAfterSeconds: RETRY_SECONDS,
    })
  }
  return frameworkFault(error) ?? new Fault('internal', 'This is a defect of ours.', { cause: error })
}

/** What the HTTP framework refuses before any endpoint sees it. */
function frameworkFault(error: unknown): Fault | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  switch (status) {
    case 400:
      return new Fault('invalid_request', 'The request could not be read.', { cause: error })
    case 414:
      return new Fault('not_found', 'Nothing has a name as long as this.', { cause: error })
    case 413:
      return new Fault('payload_too_large', 'The body is too large.', { cause: error })
    case 415:
      return new Fault('unsupported_media_type', 'Send application/json.', { cause: error })
    default:
      return undefined
  }
}

/** For an answer that took too long. */
export function tooSlow(cause: unknown): Fault {
  return new Fault('store_unavailable', 'The answer took too long and was given up. Try a shorter range.', {
    cause,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

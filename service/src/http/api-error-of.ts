import { Fault } from '../domain/api-error.ts'
import { faultOf as faultOfAnswer } from '../endpoints/shared/api-error-of.ts'

/** Every error as a fault, those of the HTTP framework too. */
export function faultOf(error: unknown): Fault {
  const fault = faultOfAnswer(error)
  return fault.code === 'internal' ? (frameworkFault(error) ?? fault) : fault
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

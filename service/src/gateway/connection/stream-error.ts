import { Fault } from '../../domain/api-error.ts'
import { isStoreAway } from '../../stores/engines/store-away.ts'

/** Every error as a fault. What is none of the known is a defect of ours, and says nothing about itself. */
export function streamFaultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (isStoreAway(error)) {
    return new Fault('store_unavailable', 'A store needed for this is away. Try again in a moment.', { cause: error })
  }
  return new Fault('internal', 'This is a defect of ours.', { cause: error })
}

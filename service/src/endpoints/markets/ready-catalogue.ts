import { ApiError } from '../../domain/api-error.ts'
import type { LiveCatalogue } from '../../stores/markets/live-catalogue.ts'

/** Before it has been read, an empty catalogue says nothing about what exists. */
export function readyCatalogue({ catalogue }: { catalogue: LiveCatalogue }): LiveCatalogue {
  if (catalogue.refreshedAtMs !== undefined) return catalogue
  throw new ApiError('store_unavailable', 'The catalogue of markets is still being read. Try again in a moment.', {
    retryAfterSeconds: 1,
  })
}

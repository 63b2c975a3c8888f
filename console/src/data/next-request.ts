import { BookreelError } from '@bookreel/sdk'

const AGAIN_MS = 5_000
/** The console may send 60 requests a minute on the free tier. */
const AFTER_TOO_MANY_MS = 15_000
/** Errors that another attempt may cure. */
const PASSING: readonly string[] = ['network', 'timeout', 'store_unavailable', 'overloaded', 'sign_in_unavailable']

export function isPassing(error: Error | null): boolean {
  return error instanceof BookreelError && PASSING.includes(error.code)
}

/**
 * How long a query waits before it asks again; false: until somebody asks. A page recovers by itself, so after an error
 * that may pass it does not wait for its usual time.
 */
export function nextRequestMs(error: Error | null, usualMs: number | false): number | false {
  if (isPassing(error)) return Math.min(AGAIN_MS, usualMs || AGAIN_MS)
  const isTooOften = error instanceof BookreelError && error.code === 'rate_limited'
  return isTooOften ? Math.max(AFTER_TOO_MANY_MS, usualMs || 0) : usualMs
}

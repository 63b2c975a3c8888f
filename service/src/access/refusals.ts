import { ApiError } from '../domain/api-error.ts'
import type { RateVerdict } from '../stores/accounts/rate-limits.ts'
import type { Spendable } from '../stores/money/credit-ledger.ts'

const STORE_RETRY_SECONDS = 2

/** One message for all reasons, so that nobody learns whether a key exists. */
export function unauthenticated(): ApiError {
  return new ApiError('unauthenticated', 'Missing or invalid API key. Send a valid key in the X-API-Key header.')
}

export function storeUnavailable(cause: unknown): ApiError {
  const message = 'The account store is unavailable; nothing was delivered. Try again in a moment.'
  return new ApiError('store_unavailable', message, { retryAfterSeconds: STORE_RETRY_SECONDS, cause })
}

export function rateLimited(limit: number, { retryAfterMs, resetMs }: RateVerdict): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000))
  const message = `Rate limit of ${limit} requests per minute exceeded. Retry after ${retryAfterSeconds} s.`
  const details = { limit, remaining: 0, reset_seconds: Math.ceil(resetMs / 1_000) }
  return new ApiError('rate_limited', message, { retryAfterSeconds, details })
}

export function outOfCredits(needed: number, { balance, keyLeft }: Spendable): ApiError {
  const isKeyLimit = keyLeft !== undefined && keyLeft < needed
  const source = isKeyLimit ? 'the monthly limit of this key leaves' : 'the account has'
  const left = isKeyLimit ? keyLeft : balance
  const remedy = isKeyLimit ? 'Use a key with a higher limit' : 'Buy credits or upgrade'
  return new ApiError('out_of_credits', `This request costs ${needed} credits, but ${source} ${left}. ${remedy}.`, {
    details: { credits_needed: needed, credits_remaining: left, limited_by: isKeyLimit ? 'key' : 'account' },
  })
}

import { ApiError } from '../domain/api-error.ts'
import type { RateVerdict } from '../stores/accounts/rate-limits.ts'
import type { Spendable } from '../stores/money/credit-ledger.ts'

const STORE_RETRY_SECONDS = 2

/** The same for every reason, so that nobody learns whether a key ever existed. */
export function unauthenticated(): ApiError {
  return new ApiError('unauthenticated', 'A valid API key is needed')
}

export function storeUnavailable(cause: unknown): ApiError {
  return new ApiError('store_unavailable', 'The account store is away for a moment; nothing was delivered', {
    retryAfterSeconds: STORE_RETRY_SECONDS,
    cause,
  })
}

export function rateLimited(limit: number, { retryAfterMs, resetMs }: RateVerdict): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1_000))
  return new ApiError('rate_limited', `More than ${limit} requests a minute`, {
    retryAfterSeconds,
    details: { limit, remaining: 0, reset_seconds: Math.ceil(resetMs / 1_000) },
  })
}

export function outOfCredits(needed: number, { balance, keyLeft }: Spendable): ApiError {
  const isKeyLimit = keyLeft !== undefined && keyLeft < needed
  const whose = isKeyLimit ? 'the monthly limit of this key leaves' : 'the account has'
  const left = isKeyLimit ? keyLeft : balance
  return new ApiError('out_of_credits', `This costs ${needed} credits and ${whose} ${left}`, {
    details: { credits_needed: needed, credits_remaining: left, limited_by: isKeyLimit ? 'key' : 'account' },
  })
}

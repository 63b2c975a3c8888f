import { ApiError } from '../domain/api-error.ts'
import type { RateVerdict } from '../stores/accounts/rate-limits.ts'
import type { Spendable } from '../stores/money/credit-ledger.ts'

const STORE_RETRY_SECONDS = 2

const HEADERS = '"X-API-Key: <key>" or "Authorization: Bearer <key>"'
const REALM = 'Bearer realm="bookreel"'

type KeyProblem = 'missing_key' | 'malformed_key' | 'unknown_key' | 'unsupported_scheme'

export function missingKey(): ApiError {
  return refusedKey('missing_key', `This request has no API key. Send one as ${HEADERS}.`)
}

/** Usually the variable that should hold the key is not set. */
export function emptyKey(header: string): ApiError {
  return refusedKey('missing_key', `The header ${header} contains no API key. Send the key as ${HEADERS}.`)
}

export function unsupportedScheme(scheme: string | undefined): ApiError {
  const problem = scheme === undefined ? 'has no scheme' : `has the scheme ${scheme}, which is not supported`
  return refusedKey('unsupported_scheme', `The header Authorization ${problem}. Send the API key as ${HEADERS}.`)
}

/** The format of keys is public, so this tells nothing about the keys that exist. */
export function malformedKey(): ApiError {
  return refusedKey(
    'malformed_key',
    `The API key is malformed: a key is br_live_ and 38 letters and digits, and this one is incomplete or mistyped. Copy the whole key, and send it as ${HEADERS}.`,
  )
}

/** One message for unknown, revoked and expired keys, so that nobody learns whether a key existed. */
export function unknownKey(): ApiError {
  return refusedKey(
    'unknown_key',
    `The API key is unknown, revoked or expired. Create another one at /app/keys, and send it as ${HEADERS}.`,
  )
}

/** The account of a session was erased. */
export function unknownAccount(): ApiError {
  return new ApiError('unauthenticated', 'The account of this session no longer exists. Sign in again.')
}

/** The same refusal for a key that was sent in a frame. */
export function refusedInFrame(refusal: ApiError): ApiError {
  if (refusal.code !== 'unauthenticated') return refusal
  const { code, message, details } = refusal
  return new ApiError(code, message.replace(`as ${HEADERS}`, 'in the auth frame'), { ...(details && { details }) })
}

/** As RFC 6750: a challenge names an error only when a key was presented. */
function refusedKey(reason: KeyProblem, message: string): ApiError {
  const isPresented = reason === 'malformed_key' || reason === 'unknown_key'
  const description = reason === 'malformed_key' ? 'malformed key' : 'unknown, revoked or expired key'
  const challenge = isPresented ? `${REALM}, error="invalid_token", error_description="${description}"` : REALM
  return new ApiError('unauthenticated', message, { details: { reason }, challenge })
}

export function storeUnavailable(cause: unknown): ApiError {
  const message = 'The account store is unavailable; nothing was delivered. Try again in a moment.'
  return new ApiError('store_unavailable', message, { retryAfterSeconds: STORE_RETRY_SECONDS, cause })
}

export function rateLimited(limit: number, verdict: RateVerdict): ApiError {
  const seconds = secondsUntil(verdict)
  const message = `Rate limit of ${limit} requests per minute exceeded. Send the next request in ${seconds} s.`
  return tooMany(message, seconds, { limit, remaining: 0 }, limit)
}

export function tooManyInvalidKeys(limit: number, verdict: RateVerdict): ApiError {
  const seconds = secondsUntil(verdict)
  const message = `This address sent more than ${limit} invalid API keys in a minute. Check the key, and send the next request in ${seconds} s.`
  return tooMany(message, seconds, { limit, remaining: 0 }, limit)
}

/** For a caller without a valid key. */
export function tooManyAnonymous(limit: number, verdict: RateVerdict): ApiError {
  const seconds = secondsUntil(verdict)
  const message = `This address sent more than ${limit} requests a minute without a valid API key. Send one as ${HEADERS}, or send the next request in ${seconds} s.`
  return tooMany(message, seconds, { limit, remaining: 0 }, limit)
}

/** A 429. `rateLimit` is left out when the headers of the response already have the rate of the account. */
export function tooMany(
  message: string,
  retryAfterSeconds: number,
  details: Readonly<Record<string, unknown>>,
  rateLimit?: number,
): ApiError {
  return new ApiError('rate_limited', message, {
    retryAfterSeconds,
    details: { ...details, reset_seconds: retryAfterSeconds },
    ...(rateLimit !== undefined && { rateLimit }),
  })
}

function secondsUntil({ retryAfterMs }: RateVerdict): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1_000))
}

export function outOfCredits(needed: number, { balance, keyLeft }: Spendable): ApiError {
  const isKeyLimit = keyLeft !== undefined && keyLeft < needed
  const source = isKeyLimit ? 'the monthly limit of this key leaves' : 'the account has'
  const left = isKeyLimit ? keyLeft : balance
  const remedy = isKeyLimit ? 'Use a key with a higher limit, or raise this one' : 'Buy credits or upgrade'
  return new ApiError(
    'out_of_credits',
    `This request costs ${needed} credit${needed === 1 ? '' : 's'}, but ${source} ${left}. ${remedy}.`,
    {
      details: { credits_needed: needed, credits_remaining: left, limited_by: isKeyLimit ? 'key' : 'account' },
      creditsRemaining: balance,
    },
  )
}

import type { Admission } from '../access/access-control.ts'
import type { ApiError } from '../domain/api-error.ts'

type Headers = Readonly<Record<string, string>>

/** The rate limit of the caller, under the usual names and the older ones. */
export function rateHeaders({
  limit,
  remaining,
  resetSeconds,
}: Pick<Admission, 'limit' | 'remaining' | 'resetSeconds'>): Headers {
  return { ...both('limit', limit), ...both('remaining', remaining), ...both('reset', resetSeconds) }
}

/** What the status of an error promises in its headers. A 429 has the same waiting time in all of them. */
export function errorHeaders({ status, retryAfterSeconds, rateLimit, creditsRemaining, challenge }: ApiError): Headers {
  const seconds = retryAfterSeconds === undefined ? undefined : Math.ceil(retryAfterSeconds)
  const isLimited = status === 429 && seconds !== undefined
  return {
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
    ...(isLimited && { ...both('remaining', 0), ...both('reset', seconds) }),
    ...(isLimited && rateLimit !== undefined && both('limit', rateLimit)),
    ...(creditsRemaining !== undefined && { 'x-credits-remaining': String(creditsRemaining) }),
    ...(challenge !== undefined && { 'www-authenticate': challenge }),
  }
}

function both(name: string, value: number): Headers {
  return { [`ratelimit-${name}`]: String(value), [`x-ratelimit-${name}`]: String(value) }
}

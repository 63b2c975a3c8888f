import { expect, test } from 'vitest'
import { AccountConcurrency } from '../access/account-concurrency.ts'
import { malformedKey, missingKey, rateLimited, tooManyInvalidKeys, unknownKey } from '../access/refusals.ts'
import type { ApiError } from '../domain/api-error.ts'
import { errorHeaders, rateHeaders } from './status-headers.ts'

const VERDICT = { isAllowed: false, remaining: 0, retryAfterMs: 1_200, resetMs: 60_000 }

/** More history requests than may run and wait. */
async function tooManyAtOnce(): Promise<ApiError> {
  const concurrency = new AccountConcurrency()
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const all = Array.from({ length: 105 }, () => concurrency.take('account', () => ended))
  const refused = await Promise.any(
    all.map((each) =>
      each.then(
        () => Promise.reject(),
        (error: ApiError) => error,
      ),
    ),
  )
  end()
  await Promise.allSettled(all)
  return refused
}

test.each<[string, () => ApiError | Promise<ApiError>, string | undefined]>([
  ['the rate of an account', () => rateLimited(300, VERDICT), '300'],
  ['invalid keys of an address', () => tooManyInvalidKeys(30, VERDICT), '30'],
  ['history requests at once; the rate of the account is already in the headers', tooManyAtOnce, undefined],
])('a 429 for %s has one waiting time in all headers and in the body', async (_, refuse, limit) => {
  const refusal = await refuse()
  const { 'retry-after': seconds, ...rate } = errorHeaders(refusal)
  expect(Number(seconds)).toBeGreaterThanOrEqual(1)
  expect(refusal.body).toMatchObject({ status: 429, details: { reset_seconds: Number(seconds) } })
  expect(refusal.message).toContain(`${seconds} s`)
  expect(rate).toMatchObject({ 'ratelimit-remaining': '0', 'ratelimit-reset': seconds, 'x-ratelimit-reset': seconds })
  expect(rate['ratelimit-limit']).toBe(limit)
})

test('a 429 has the rate limit headers of a 200', () => {
  const { 'retry-after': _, ...rate } = errorHeaders(rateLimited(300, VERDICT))
  expect(Object.keys(rate).toSorted()).toEqual(
    Object.keys(rateHeaders({ limit: 300, remaining: 299, resetSeconds: 1 })).toSorted(),
  )
})

test.each([
  ['no key', missingKey(), 'Bearer realm="bookreel"'],
  [
    'a malformed key',
    malformedKey(),
    'Bearer realm="bookreel", error="invalid_token", error_description="malformed key"',
  ],
  [
    'an unknown key',
    unknownKey(),
    'Bearer realm="bookreel", error="invalid_token", error_description="unknown, revoked or expired key"',
  ],
])('a 401 for %s has a challenge', (_, refusal, challenge) => {
  expect(errorHeaders(refusal)).toEqual({ 'www-authenticate': challenge })
})

import { expect, test } from 'vitest'
import { API_ERRORS, ApiError, type ErrorCode, noRecentData } from './api-error.ts'

test('every fault has a snake_case code, an error status and a sentence for the documentation', () => {
  for (const [code, { status, meaning }] of Object.entries(API_ERRORS)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(meaning, code).toMatch(/^[A-Z].*\.$/)
    expect(new ApiError(code as ErrorCode, 'x').status).toBe(status)
  }
})

test('a tier that does not include something is 403, and 402 where the interface says so; no other status passes', () => {
  expect(new ApiError('tier_not_allowed', 'x').body).toEqual({ error: 'tier_not_allowed', message: 'x', status: 403 })
  expect(new ApiError('tier_not_allowed', 'x', { status: 402 }).body).toMatchObject({
    error: 'tier_not_allowed',
    status: 402,
  })
  expect(() => new ApiError('tier_not_allowed', 'x', { status: 404 })).toThrow(TypeError)
  expect(() => new ApiError('rate_limited', 'x', { status: 402 })).toThrow(TypeError)
})

test('details are public, the cause is not', () => {
  const fault = noRecentData({ details: { age_ms: 5 }, retryAfterSeconds: 2, cause: new Error('host db-7') })
  expect(fault.body).toEqual({
    error: 'no_recent_data',
    message: 'No recent data',
    status: 404,
    details: { age_ms: 5 },
  })
  expect(JSON.stringify(fault.body)).not.toContain('db-7')
  expect(fault.cause).toBeInstanceOf(Error)
})

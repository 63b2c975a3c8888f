import { expect, test } from 'vitest'
import { BookreelError, errorOf, readRetryAfter } from '../src/bookreel-error.ts'
import { addressOf } from '../src/operation.ts'
import { backOffMs, isWorthAnotherTry, Retries } from '../src/retries.ts'

const away = new BookreelError('store_unavailable', 'away', { status: 503 })

test('the wait doubles up to half a minute, and chance spreads it from nothing to all of it', () => {
  const ceilings = [0, 1, 2, 6, 7, 40].map((failures) => backOffMs(failures, () => 1))
  expect(ceilings).toEqual([250, 500, 1_000, 16_000, 30_000, 30_000])
  expect(backOffMs(3, () => 0)).toBe(0)
})

test.each([
  [new BookreelError('network', ''), true],
  [new BookreelError('timeout', ''), true],
  [new BookreelError('rate_limited', '', { status: 429 }), true],
  [away, true],
  [new BookreelError('internal', '', { status: 500 }), false],
  [new BookreelError('out_of_credits', '', { status: 402 }), false],
  [new BookreelError('hour_not_finished', '', { status: 409, retryAfterMs: 60_000 }), false],
  [new TypeError('a mistake of ours'), false],
])('another try for %s: %s', (error, isWorth) => {
  expect(isWorthAnotherTry(error)).toBe(isWorth)
})

test('tries are counted, and begin anew when something was achieved', async () => {
  const retries = new Retries(2, undefined, () => 0)
  await retries.wait(away)
  await retries.wait(away)
  await expect(retries.wait(away)).rejects.toBe(away)
  retries.reset()
  await retries.wait(away)
})

test('what the service asks to wait is waited, and who is asked for too long is told', async () => {
  const startedAt = performance.now()
  await new Retries(1, undefined, () => 0).wait(new BookreelError('overloaded', '', { status: 503, retryAfterMs: 60 }))
  expect(performance.now() - startedAt).toBeGreaterThan(55)
  const tooLong = new BookreelError('rate_limited', '', { status: 429, retryAfterMs: 3_600_000 })
  await expect(new Retries(5).wait(tooLong)).rejects.toBe(tooLong)
})

test('a signal ends the waiting with its own reason', async () => {
  const stop = new AbortController()
  const waiting = new Retries(1, stop.signal).wait(
    new BookreelError('overloaded', '', { status: 503, retryAfterMs: 60_000 }),
  )
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

test('Retry-After is read in seconds and as a date', () => {
  const nowMs = Date.UTC(2026, 0, 1)
  expect(readRetryAfter('7', nowMs)).toBe(7_000)
  expect(readRetryAfter('Thu, 01 Jan 2026 00:00:09 GMT', nowMs)).toBe(9_000)
  expect(readRetryAfter('Thu, 01 Jan 2020 00:00:00 GMT', nowMs)).toBe(0)
  for (const none of [null, '', 'soon']) expect(readRetryAfter(none, nowMs)).toBeUndefined()
})

test('an answer of something in between is not taken for one of the service', async () => {
  const page = new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'retry-after': '3' } })
  expect(await errorOf(page)).toMatchObject({ code: 'unexpected_answer', status: 502, retryAfterMs: 3_000 })
})

test('addresses hold what was given, written as the service reads it', () => {
  const operation = { name: 'x', path: '/v1/markets/{id}/x', isPriced: false }
  const input = { id: 'a/b', from: new Date(0), to: 5, limit: undefined, includebook: false }
  expect(addressOf('http://h', operation, input)).toBe(
    'http://h/v1/markets/a%2Fb/x?from=1970-01-01T00%3A00%3A00.000Z&to=5&includebook=false',
  )
})

import { expect, test } from 'vitest'
import { BookreelError, errorOf, readRetryAfter } from '../src/bookreel-error.ts'
import { addressOf } from '../src/operation.ts'
import { backOffMs, isRetriable, Retries } from '../src/retries.ts'

const unavailable = new BookreelError('store_unavailable', 'unavailable', { status: 503 })

test('the back-off doubles up to 30 seconds, with full jitter', () => {
  const ceilings = [0, 1, 2, 6, 7, 40].map((failures) => backOffMs(failures, () => 1))
  expect(ceilings).toEqual([250, 500, 1_000, 16_000, 30_000, 30_000])
  expect(backOffMs(3, () => 0)).toBe(0)
})

test.each([
  [new BookreelError('network', ''), true],
  [new BookreelError('timeout', ''), true],
  [new BookreelError('rate_limited', '', { status: 429 }), true],
  [unavailable, true],
  [new BookreelError('internal', '', { status: 500 }), false],
  [new BookreelError('out_of_credits', '', { status: 402 }), false],
  [new BookreelError('hour_not_finished', '', { status: 409, retryAfterMs: 60_000 }), false],
  [new TypeError('a programming error'), false],
])('%s is retriable: %s', (error, expected) => {
  expect(isRetriable(error)).toBe(expected)
})

test('retries are counted, and reset after progress', async () => {
  const retries = new Retries(2, undefined, () => 0)
  await retries.wait(unavailable)
  await retries.wait(unavailable)
  await expect(retries.wait(unavailable)).rejects.toBe(unavailable)
  retries.reset()
  await retries.wait(unavailable)
})

test('waits as long as Retry-After says; throws when that is too long', async () => {
  const startedAt = performance.now()
  await new Retries(1, undefined, () => 0).wait(new BookreelError('overloaded', '', { status: 503, retryAfterMs: 60 }))
  expect(performance.now() - startedAt).toBeGreaterThan(55)
  const tooLong = new BookreelError('rate_limited', '', { status: 429, retryAfterMs: 3_600_000 })
  await expect(new Retries(5).wait(tooLong)).rejects.toBe(tooLong)
})

test('an aborted signal ends the wait with its own reason', async () => {
  const stop = new AbortController()
  const waiting = new Retries(1, stop.signal).wait(
    new BookreelError('overloaded', '', { status: 503, retryAfterMs: 60_000 }),
  )
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

test('parses Retry-After in seconds and as a date', () => {
  const nowMs = Date.UTC(2026, 0, 1)
  expect(readRetryAfter('7', nowMs)).toBe(7_000)
  expect(readRetryAfter('Thu, 01 Jan 2026 00:00:09 GMT', nowMs)).toBe(9_000)
  expect(readRetryAfter('Thu, 01 Jan 2020 00:00:00 GMT', nowMs)).toBe(0)
  for (const none of [null, '', 'soon']) expect(readRetryAfter(none, nowMs)).toBeUndefined()
})

test('an error page of a proxy is reported as unexpected_answer', async () => {
  const page = new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'retry-after': '3' } })
  expect(await errorOf(page)).toMatchObject({ code: 'unexpected_answer', status: 502, retryAfterMs: 3_000 })
})

test('builds the URL from path and query parameters', () => {
  const operation = { name: 'x', path: '/v1/markets/{id}/x', isPriced: false }
  const input = { id: 'a/b', from: new Date(0), to: 5, limit: undefined, includebook: false }
  expect(addressOf('http://h', operation, input)).toEqual({
    url: 'http://h/v1/markets/a%2Fb/x?from=1970-01-01T00%3A00%3A00.000Z&to=5&includebook=false',
  })
})

test('the input of a POST that is not in its path is the body', () => {
  const operation = { name: 'x', path: '/v1/markets/{id}/x', isPriced: false, isPost: true } as const
  expect(addressOf('http://h', operation, { id: 'a', from: new Date(0), limit: undefined, coins: ['BTC'] })).toEqual({
    url: 'http://h/v1/markets/a/x',
    body: '{"from":"1970-01-01T00:00:00.000Z","coins":["BTC"]}',
  })
})

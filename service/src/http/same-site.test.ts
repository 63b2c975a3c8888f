import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { ApiError } from '../domain/api-error.ts'
import { requireSameSite } from './same-site.ts'

const OURS = { origin: 'https://data.example', 'x-requested-with': 'bookreel' }
const check = (headers: Record<string, string | undefined>) =>
  requireSameSite({ headers } as unknown as FastifyRequest, OURS.origin)

test('a request of our own pages is accepted', () => {
  check(OURS)
  check({ ...OURS, 'sec-fetch-site': 'same-origin' })
})

test.each<[what: string, headers: Record<string, string | undefined>]>([
  ['another origin', { ...OURS, origin: 'https://evil.example' }],
  ['an origin that nobody knows', { ...OURS, origin: 'null' }],
  ['no origin', { ...OURS, origin: undefined }],
  ['a browser that calls it same-site', { ...OURS, 'sec-fetch-site': 'same-site' }],
  ['a browser that calls it cross-site', { ...OURS, 'sec-fetch-site': 'cross-site' }],
  ['no header that a foreign page can’t set', { origin: OURS.origin }],
  ['another value of that header', { ...OURS, 'x-requested-with': 'XMLHttpRequest' }],
])('a request that may come from another site is refused: %s', (_, headers) => {
  expect(() => check(headers)).toThrow(ApiError)
})

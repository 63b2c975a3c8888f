import assert from 'node:assert/strict'
import { ApiError, type ErrorCode } from '../../src/domain/api-error.ts'
import { TIER_LIMITS, type Tier } from '../../src/domain/tier.ts'
import { ASKED_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { type Check, type Claim, claim, type WrittenCase } from './claim.ts'

type Headers = Readonly<Record<string, unknown>>

const KEYED = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody')
const IN_PATH = KEYED.filter(({ path }) => path.startsWith('/v1/markets/{id}'))
const [LIST] = KEYED.filter(({ path }) => path === '/v1/markets/{id}/snapshots')

/** The headers that an answer of any status to a valid key has. */
function assertKeyHeaders(headers: Headers, tier: Tier): void {
  const { rpm } = TIER_LIMITS[tier]
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    assert.equal(headers[`${prefix}-limit`], String(rpm))
    assert.match(String(headers[`${prefix}-remaining`]), /^\d+$/)
    assert.ok(Number(headers[`${prefix}-remaining`]) < rpm)
    assert.match(String(headers[`${prefix}-reset`]), /^\d+$/)
  }
  assert.match(String(headers['x-credits-cost']), /^\d+$/)
  assert.match(String(headers['cache-control']), /^(no-store|private, max-age=\d+|public, max-age=(\d+), s-maxage=\2)$/)
}

function isAnswerTo(tier: Tier): Check {
  return ({ headers }) => assertKeyHeaders(headers, tier)
}

/** An error is free, is never cached and names its request. */
function isFreeErrorTo(tier: Tier): Check {
  return ({ headers, body }) => {
    assertKeyHeaders(headers, tier)
    assert.deepEqual([headers['x-credits-cost'], headers['cache-control']], ['0', 'no-store'])
    assert.equal(headers['x-request-id'], body.request_id)
  }
}

function refused(as: 'pro' | 'free', request: string, status: number, error: ErrorCode): WrittenCase {
  return { as, request, status, error, check: isFreeErrorTo(as) }
}

/** A second server whose catalogue fails. */
function failsLike(error: Error, status: number): Check {
  return async (_, { service }) => {
    const fail = (): never => {
      throw error
    }
    const catalogue = { refreshedAtMs: Date.now(), list: fail }
    const stores = { ...service.stores, catalogue } as unknown as typeof service.stores
    const server = await service.newServer({ pipeline: { stores } })
    const headers = { 'x-api-key': await service.keyOf('pro') }
    const answer = await server.inject({ url: '/v1/markets/live', headers })
    await server.close()
    assert.equal(answer.statusCode, status, answer.body)
    assertKeyHeaders(answer.headers, 'pro')
    assert.deepEqual([answer.headers['x-credits-cost'], answer.json().status], ['0', status])
  }
}

export const headerClaims: readonly Claim[] = [
  claim(
    '8',
    'headers.every-status',
    'Every answer to a valid key, of any status, has its rate limit, its cost, its caching rule and its request id.',
    [
      ...KEYED.map(({ request, as }): WrittenCase => ({ as, request, check: isAnswerTo(as as Tier) })),
      ...KEYED.map(({ request }) => refused('pro', withParameter(request, 'nonsense=1'), 400, 'invalid_request')),
      ...KEYED.filter(({ tiers }) => tiers === undefined).map(({ request }) =>
        refused('free', withParameter(request, 'format=tsv'), 403, 'tier_not_allowed'),
      ),
      ...IN_PATH.map(({ request }) =>
        refused('pro', request.replace(/\{(live|closed)\}/, '{unknown}'), 404, 'market_not_found'),
      ),
    ],
  ),
  claim('8', 'headers.out-of-credits', 'A request that can not be paid is free and says what is left.', [
    {
      as: 'no credits',
      request: LIST?.request ?? '',
      status: 402,
      error: 'out_of_credits',
      check: ({ headers, body }) => {
        assertKeyHeaders(headers, 'pro')
        assert.equal(headers['x-credits-cost'], '0')
        assert.equal(headers['x-credits-remaining'], String(body.details.credits_remaining))
        assert.equal(body.details.credits_remaining, 0)
      },
    },
  ]),
  claim('8', 'headers.rate-limited', 'A request over the rate limit is free and says so.', [
    ...KEYED.filter(({ tiers }) => tiers === undefined)
      .slice(0, 3)
      .map(
        ({ request }): WrittenCase => ({
          as: 'rate used up',
          request,
          status: 429,
          error: 'rate_limited',
          check: isFreeErrorTo('free'),
        }),
      ),
  ]),
  claim('8', 'headers.failures', 'Errors of the service have the same headers and are free.', [
    { as: 'pro', request: '/v1/markets/live?limit=1', check: failsLike(new Error('a defect'), 500) },
    {
      as: 'pro',
      request: '/v1/markets/live?limit=2',
      check: failsLike(new ApiError('store_unavailable', 'away'), 503),
    },
  ]),
  claim('added', 'headers.published', 'The headers of answers to a key are published for every status.', [
    {
      as: 'nobody',
      request: '/openapi.json',
      check: ({ body }) => {
        for (const { path } of KEYED) {
          for (const [status, { headers = {} }] of Object.entries<{ headers?: object }>(
            body.paths[path].get.responses,
          )) {
            if (['401', '206', '304'].includes(status)) continue
            for (const name of ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'])
              assert.ok(name in headers, `${path} ${status} ${name}`)
            assert.ok('X-Credits-Cost' in headers, `${path} ${status}`)
          }
        }
      },
    },
  ]),
]

import assert from 'node:assert/strict'
import { TIER_LIMITS, TIERS } from '../../src/domain/tier.ts'
import { ASKED_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { all, assertMembers, hasHeaders, hasMembers, isLike } from './checks.ts'
import { type Row, rowsOf } from './row.ts'

const KEYED = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody')
const PUBLIC = ASKED_ENDPOINTS.filter(({ as }) => as === 'nobody')
const FAULT_MEMBERS = { error: 'text', message: 'text', status: 'whole', request_id: 'text' } as const

const withoutKey: Row[] = KEYED.flatMap(({ path, request }) =>
  (['nobody', 'malformed key', 'revoked key'] as const).map((as) => ({
    section: '5',
    endpoint: path,
    request,
    as,
    shows: 'Data is only for those who show a key that works; the others learn in which header to send it.',
    status: 401,
    error: 'unauthenticated',
    check: all(
      hasMembers(FAULT_MEMBERS),
      hasHeaders({ 'www-authenticate': as === 'nobody' ? /^Bearer realm="bookreel"$/ : /, error="invalid_token"/ }),
      ({ body }) => assert.match(body.message, /X-API-Key: <key>.*Authorization: Bearer <key>/),
    ),
  })),
)

const keyBeforeParameters: Row[] = KEYED.map(({ path, request }) => ({
  section: '5',
  endpoint: path,
  request: withParameter(request, 'nonsense=1'),
  as: 'nobody',
  shows: 'Who asks comes before what is asked: without a key nobody learns which parameters there are.',
  status: 401,
  error: 'unauthenticated',
}))

const publicWithoutKey: Row[] = PUBLIC.map(({ path, request }) => ({
  section: '5',
  endpoint: path,
  request,
  as: 'nobody',
  shows: 'Public endpoints are answered without a key.',
  status: 200,
}))

/** An invalid key must not affect an endpoint that needs none. */
const publicWithBadKey: Row[] = PUBLIC.map(({ path, request }) => ({
  section: '5',
  endpoint: path,
  request,
  as: 'malformed key',
  shows: 'Public endpoints do not look at a key, good or bad.',
  status: 200,
}))

/** Headers and body of a 429 agree. */
const saysWhenToRetry: NonNullable<Row['check']> = ({ body, headers }) => {
  const seconds = String(headers['retry-after'])
  assert.match(seconds, /^[1-9]\d*$/)
  assert.equal(body.details.reset_seconds, Number(seconds))
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    assert.equal(headers[`${prefix}-limit`], String(body.details.limit))
    assert.equal(headers[`${prefix}-remaining`], '0')
    assert.equal(headers[`${prefix}-reset`], seconds)
  }
}

const rateUsedUp: Row[] = KEYED.map(({ path, request, tiers }) => ({
  section: '7',
  endpoint: path,
  request,
  as: 'rate used up' as const,
  shows:
    'More requests than the minute of the tier allows are refused, with the time to wait; on every endpoint with a key.',
  ...(tiers === undefined ? { status: 429, error: 'rate_limited' } : { status: 403, error: 'tier_not_allowed' }),
  ...(tiers === undefined && { check: saysWhenToRetry }),
})).filter(({ status }) => status === 429) as Row[]

const wrongMethod: Row[] = ASKED_ENDPOINTS.flatMap(({ section, path, request }) =>
  (['POST', 'PUT', 'DELETE'] as const).map((method) => ({
    section: section ?? 'added',
    endpoint: path,
    request,
    as: 'nobody' as const,
    method,
    shows: 'Only GET is served there; another method is refused with the list of allowed ones.',
    status: 405,
    error: 'method_not_allowed' as const,
    check: hasHeaders({ allow: 'GET' }),
  })),
)

const errors = rowsOf('2.11', [
  ...(
    [
      ['nobody', '/v1/markets/live', '/v1/markets/live', 401, 'unauthenticated'],
      ['pro', '/v1/markets/live', '/v1/markets/live?limit=0', 400, 'invalid_request'],
      ['no credits', '/v1/markets/{id}/snapshots', '/v1/markets/{live}/snapshots', 402, 'out_of_credits'],
      ['pro', '/v1/categories', '/v1/categories?format=csv', 403, 'tier_not_allowed'],
      ['pro', '/v1/markets/{id}/orderbook', '/v1/markets/{unknown}/orderbook', 404, 'market_not_found'],
      ['rate used up', '/v1/categories', '/v1/categories', 429, 'rate_limited'],
    ] as const
  ).map(([as, endpoint, request, status, error]) => ({
    endpoint,
    request,
    as,
    status,
    error,
    shows:
      'An error is an object with a stable code, a sentence and the status; the same id stands in it and in a header.',
    check: (({ body, headers }) => {
      assertMembers(body, FAULT_MEMBERS)
      assert.equal(body.status, status)
      assert.equal(body.request_id, headers['x-request-id'])
    }) as NonNullable<Row['check']>,
  })),
])

const addresses = rowsOf('7', [
  {
    endpoint: undefined,
    request: '/v2/markets',
    as: 'nobody',
    shows: 'An address that is not served is 404 in the same form as every error.',
    status: 404,
    error: 'not_found',
    check: hasMembers(FAULT_MEMBERS),
  },
  {
    endpoint: '/v1/categories',
    request: '/v1/categories',
    as: 'pro',
    headers: { 'x-request-id': 'mine-1' },
    shows: 'The id of a request may be the caller’s own.',
    status: 200,
    check: hasHeaders({ 'x-request-id': 'mine-1' }),
  },
])

const validation = rowsOf(
  '4.6',
  TIERS.map((tier) => ({
    endpoint: '/v1/api-keys/validate',
    request: '/v1/api-keys/validate',
    as: tier,
    shows: 'A key learns that it is good, its tier and what is left.',
    status: 200,
    check: all(
      isLike({ valid: true, active: true, tier }),
      hasMembers({ valid: 'flag', active: 'flag', label: 'text', tier: 'text', creditsRemaining: 'whole' }),
      hasHeaders({ 'x-credits-cost': '0' }),
    ),
  })),
)

const rates = rowsOf(
  '8',
  TIERS.map((tier) => ({
    endpoint: '/v1/categories',
    request: '/v1/categories',
    as: tier,
    shows: 'Every answer to a key says how much of the minute is left, under two names of the same header.',
    status: 200,
    check: hasHeaders({
      'ratelimit-limit': String(TIER_LIMITS[tier].rpm),
      'x-ratelimit-limit': String({ free: 60, pro: 300, scale: 1_000, enterprise: 3_000 }[tier]),
      'ratelimit-remaining': /^\d+$/,
      'x-ratelimit-remaining': /^\d+$/,
      'ratelimit-reset': /^\d+$/,
      'x-ratelimit-reset': /^\d+$/,
    }),
  })),
)

export const accessRows: readonly Row[] = [
  ...withoutKey,
  ...keyBeforeParameters,
  ...publicWithoutKey,
  ...publicWithBadKey,
  ...rateUsedUp,
  ...wrongMethod,
  ...errors,
  ...addresses,
  ...validation,
  ...rates,
]

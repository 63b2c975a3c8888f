import assert from 'node:assert/strict'
import { TIER_LIMITS, TIERS } from '../../src/domain/tier.ts'
import { ASKED_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { all, assertMembers, hasHeaders, hasMembers, isLike } from './checks.ts'
import { type Check, type Claim, claim, refused, served } from './claim.ts'

const KEYED = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody')
const PUBLIC = ASKED_ENDPOINTS.filter(({ as }) => as === 'nobody')
const ERROR_MEMBERS = { error: 'text', message: 'text', status: 'whole', request_id: 'text' } as const
const NO_KEY = [401, 'unauthenticated'] as const
const saysHowToSendAKey: Check = ({ body }) =>
  assert.match(body.message, /X-API-Key: <key>.*Authorization: Bearer <key>/)

/** Accepted requests of a new account: its limit, and one more for every refill that the time allowed. */
const isLimitedExactly: Check = async (_, scene) => {
  const key = await scene.service.keyOf('free', { fresh: true })
  const { rpm } = TIER_LIMITS.free
  const startMs = Date.now()
  const remaining: number[] = []
  let served = 0
  for (; served <= 10 * rpm; served++) {
    const { status, headers } = await scene.service.ask('/v1/categories', { key })
    if (status === 429) break
    remaining.push(Number(headers['ratelimit-remaining']))
  }
  const refills = Math.ceil(((Date.now() - startMs) / 60_000) * rpm)
  assert.equal(remaining[0], rpm - 1)
  assert.ok(served >= rpm && served <= rpm + refills, `${served} requests were served`)
}

/** Headers and body of a 429 agree. */
const saysWhenToRetry: Check = ({ body, headers }) => {
  const seconds = String(headers['retry-after'])
  assert.match(seconds, /^[1-9]\d*$/)
  assert.deepEqual([body.details.reset_seconds, body.details.limit], [Number(seconds), TIER_LIMITS.free.rpm])
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    const values = ['limit', 'remaining', 'reset'].map((name) => headers[`${prefix}-${name}`])
    assert.deepEqual(values, [String(TIER_LIMITS.free.rpm), '0', seconds])
  }
}

export const keyClaims: readonly Claim[] = [
  claim('5', 'key.missing', 'A data endpoint without a key is 401, and the error says how to send one.', [
    ...KEYED.map(({ request }) =>
      refused(
        'nobody',
        request,
        NO_KEY,
        all(
          hasMembers(ERROR_MEMBERS),
          hasHeaders({ 'www-authenticate': 'Bearer realm="bookreel"' }),
          saysHowToSendAKey,
        ),
      ),
    ),
  ]),
  claim('5', 'key.invalid', 'A malformed or revoked key is 401 on every data endpoint.', [
    ...KEYED.flatMap(({ request }) =>
      (['malformed key', 'revoked key'] as const).map((as) =>
        refused(
          as,
          request,
          NO_KEY,
          all(hasHeaders({ 'www-authenticate': /, error="invalid_token"/ }), saysHowToSendAKey, ({ body }) =>
            assert.equal(body.details.reason, as === 'revoked key' ? 'unknown_key' : 'malformed_key'),
          ),
        ),
      ),
    ),
  ]),
  claim(
    '5',
    'key.header',
    'A key is accepted in `X-API-Key` and as a Bearer token; `X-API-Key` is used if both are sent.',
    [
      served('pro', '/v1/api-keys/validate', async (_, scene) => {
        const [pro, scale] = await Promise.all([scene.service.keyOf('pro'), scene.service.keyOf('scale')])
        const tierOf = async (headers: Record<string, string>) =>
          (await scene.ask('nobody', '/v1/api-keys/validate', { headers })).body.tier
        assert.equal(await tierOf({ 'x-api-key': pro }), 'pro')
        assert.equal(await tierOf({ authorization: `Bearer ${scale}` }), 'scale')
        assert.equal(await tierOf({ authorization: `Bearer ${scale}`, 'x-api-key': pro }), 'pro')
      }),
    ],
  ),
  claim('5', 'key.before-parameters', 'Without a key nothing is said about parameters: 401 comes before 400.', [
    ...KEYED.map(({ request }) =>
      refused('nobody', withParameter(request, 'nonsense=1'), NO_KEY, ({ text }) =>
        assert.doesNotMatch(text, /nonsense|allowed_parameters/),
      ),
    ),
  ]),
  claim('5', 'key.public', 'Public endpoints answer without a key, and ignore an invalid one.', [
    ...PUBLIC.flatMap(({ request }) =>
      (['nobody', 'malformed key'] as const).map((as) =>
        served(as, request, ({ body, headers }) => {
          assert.ok(Object.keys(body).length > 0)
          assert.equal(headers['ratelimit-limit'], undefined)
        }),
      ),
    ),
  ]),
  claim(
    'added',
    'key.scopes',
    'A key is limited to its scopes: another endpoint is 403 and the error names the scope.',
    [
      served('pro', '/v1/api-keys/validate', async (_, scene) => {
        const key = await scene.service.keyOf('pro', { scopes: ['live'] })
        const ask = (request: string) => scene.ask('nobody', request, { headers: { 'x-api-key': key } })
        assert.equal((await ask('/v1/markets/{live}/orderbook')).status, 200)
        for (const request of ['/v1/markets/{closed}/snapshots', '/v1/markets/history']) {
          const { status, body } = await ask(request)
          assert.deepEqual([status, body.error], [403, 'scope_not_allowed'])
          assert.match(JSON.stringify(body), /history/)
        }
      }),
    ],
  ),
  claim('4.6', 'key.validate', 'Key validation tells whether the key is active, its tier and its remaining credits.', [
    ...TIERS.map((tier) =>
      served(
        tier,
        '/v1/api-keys/validate',
        all(isLike({ valid: true, active: true, label: 'test', tier }), ({ body }) => {
          assert.ok(Number.isSafeInteger(body.creditsRemaining) && body.creditsRemaining > 900_000)
        }),
      ),
    ),
  ]),
  claim('7', 'rate.every-endpoint', 'Requests above the rate limit are 429 on every endpoint with a key.', [
    ...KEYED.map(({ request }) => refused('rate used up', request, [429, 'rate_limited'], saysWhenToRetry)),
  ]),
  claim('8', 'rate.exact', 'A new account is served exactly its requests per minute at once, then 429.', [
    served('free', '/v1/categories', isLimitedExactly),
  ]),
  claim('8', 'rate.headers', 'Answers to a key carry the rate limit of the tier; 300 for pro.', [
    ...TIERS.map((tier) =>
      served(tier, '/v1/categories', ({ headers }) => {
        const limit = String({ free: 60, pro: 300, scale: 1_000, enterprise: 3_000 }[tier])
        for (const prefix of ['ratelimit', 'x-ratelimit']) {
          assert.equal(headers[`${prefix}-limit`], limit)
          assert.ok(Number(headers[`${prefix}-remaining`]) < Number(limit))
          assert.match(String(headers[`${prefix}-reset`]), /^\d+$/)
        }
      }),
    ),
  ]),
  claim('2.11', 'error.object', 'Every error has a code, a message and the status, and the id of the request.', [
    ...(
      [
        ['nobody', '/v1/markets/live', 401, 'unauthenticated'],
        ['pro', '/v1/markets/live?limit=0', 400, 'invalid_request'],
        ['no credits', '/v1/markets/{live}/snapshots', 402, 'out_of_credits'],
        ['pro', '/v1/categories?format=csv', 403, 'tier_not_allowed'],
        ['pro', '/v1/markets/{unknown}/orderbook', 404, 'market_not_found'],
        ['rate used up', '/v1/categories', 429, 'rate_limited'],
        ['nobody', '/v2/markets', 404, 'not_found'],
      ] as const
    ).map(([as, request, status, error]) =>
      refused(as, request, [status, error], ({ body, headers }) => {
        assertMembers(body, ERROR_MEMBERS)
        assert.deepEqual(
          Object.keys(body).filter((name) => ![...Object.keys(ERROR_MEMBERS), 'details'].includes(name)),
          [],
        )
        assert.equal(body.status, status)
        assert.equal(body.request_id, headers['x-request-id'])
        assert.ok(body.message.length > 10)
      }),
    ),
  ]),
  claim('added', 'error.request-id', 'A caller may choose the id of a request.', [
    served('pro', '/v1/categories', hasHeaders({ 'x-request-id': 'mine-1' }), {
      headers: { 'x-request-id': 'mine-1' },
    }),
  ]),
  claim('4', 'method.not-allowed', 'Another method than GET is 405, and `Allow` lists the methods.', [
    ...ASKED_ENDPOINTS.map(({ request }, index) =>
      refused('nobody', request, [405, 'method_not_allowed'], hasHeaders({ allow: /\bGET\b/ }), {
        method: (['POST', 'PUT', 'DELETE'] as const)[index % 3] ?? 'POST',
      }),
    ),
  ]),
]

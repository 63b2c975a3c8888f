import assert from 'node:assert/strict'
import { TIER_LIMITS, TIERS } from '../../../src/domain/tier.ts'
import { all, assertMembers, hasHeaders, isLike } from '../checks.ts'
import { type Check, type Clause, clause, refused, served } from '../clause.ts'

const ERROR_MEMBERS = { error: 'text', message: 'text', status: 'whole', request_id: 'text' } as const

/** Accepted requests of a new account: its limit, and one more for every refill that the time allowed. */
const isLimitedExactly: Check = async (_, scene) => {
  const key = await scene.service.keyOf('free', { fresh: true })
  const { rpm } = TIER_LIMITS.free
  const startMs = performance.now()
  const remaining: number[] = []
  let served = 0
  for (; served <= 10 * rpm; served++) {
    const { status, headers } = await scene.service.ask('/v1/categories', { key })
    if (status === 429) break
    remaining.push(Number(headers['ratelimit-remaining']))
  }
  const refills = Math.ceil(((performance.now() - startMs) / 60_000) * rpm)
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

export const keyClauses: readonly Clause[] = [
  clause('5', 'A key is accepted in `X-API-Key` and as a Bearer token; `X-API-Key` is used if both are sent.', [
    served('pro', '/v1/api-keys/validate', async (_, scene) => {
      const [pro, scale] = await Promise.all([scene.service.keyOf('pro'), scene.service.keyOf('scale')])
      const tierOf = async (headers: Record<string, string>) =>
        (await scene.ask('nobody', '/v1/api-keys/validate', { headers })).body.tier
      assert.equal(await tierOf({ 'x-api-key': pro }), 'pro')
      assert.equal(await tierOf({ authorization: `Bearer ${scale}` }), 'scale')
      assert.equal(await tierOf({ authorization: `Bearer ${scale}`, 'x-api-key': pro }), 'pro')
    }),
  ]),
  clause('4.6', 'Key validation tells whether the key is active, its tier and its remaining credits.', [
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
  clause('7', 'Requests above the rate limit are 429.', [
    ...['/v1/categories', '/v1/markets/{live}/snapshots', '/v1/limits'].map((request) =>
      refused('rate used up', request, [429, 'rate_limited'], saysWhenToRetry),
    ),
  ]),
  clause('8', 'A new account is served exactly its requests per minute at once, then 429.', [
    served('free', '/v1/categories', isLimitedExactly),
  ]),
  clause('8', 'Answers to a key carry the rate limit of the tier; 300 for pro.', [
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
  clause('2.11', 'Every error has a code, a message and the status, and the id of the request.', [
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
  clause('added', 'A caller may choose the id of a request.', [
    served('pro', '/v1/categories', hasHeaders({ 'x-request-id': 'mine-1' }), {
      headers: { 'x-request-id': 'mine-1' },
    }),
  ]),
]

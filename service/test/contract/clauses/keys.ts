import assert from 'node:assert/strict'
import { TIER_LIMITS, TIERS } from '../../../src/domain/tier.ts'
import { all, hasHeaders, isLike } from '../checks.ts'
import { type Check, type Clause, clause, refused, served } from '../clause.ts'

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
  clause('added', 'A caller may choose the id of a request.', [
    served('pro', '/v1/categories', hasHeaders({ 'x-request-id': 'mine-1' }), {
      headers: { 'x-request-id': 'mine-1' },
    }),
  ]),
]

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { TIERS } from '../../src/domain/tier.ts'
import { ASKED_ENDPOINTS } from './asked-endpoints.ts'
import { all, hasHeaders, isLike, namesProblem } from './checks.ts'
import { type Claim, claim, refused, served } from './claim.ts'
import type { ClaimScene } from './claim-scene.ts'

const LIST = '/v1/markets/{id}/snapshots'
const PAGE = '/v1/markets/{live}/snapshots?limit=2'
const PRICE = 10
const KEYED = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody')

async function creditsOf(scene: ClaimScene): Promise<number> {
  return (await scene.ask('own account', '/v1/api-keys/validate')).body.creditsRemaining
}

/** The credits charged today for snapshot lists, as the usage endpoint shows them. */
async function chargedFor(scene: ClaimScene): Promise<number> {
  const { body } = await scene.ask('own account', '/v1/usage?group_by=endpoint')
  const row = body.usage.find(({ endpoint }: { endpoint: string }) => endpoint === 'list_snapshots')
  return row?.credits ?? 0
}

interface DepthUsage {
  readonly endpoint: string
  readonly calls: number
  readonly credits: number
  readonly refused: Readonly<Record<string, number>>
}

/** Calls appear after a few seconds. */
const MOST_TRIES = 60

async function depthUsage(scene: ClaimScene): Promise<DepthUsage[]> {
  const { body } = await scene.ask('own account', '/v1/usage?group_by=endpoint')
  return (body.usage as DepthUsage[]).filter(({ endpoint }) => endpoint === 'get_market_depth')
}

export const creditClaims: readonly Claim[] = [
  claim('4.3', 'credits.price', 'The snapshots list costs 10 credits in every tier, and `X-Credits-Cost` says so.', [
    ...TIERS.map((tier) =>
      served(
        tier,
        PAGE,
        all(hasHeaders({ 'x-credits-cost': '10', 'x-credits-remaining': /^\d+$/ }), ({ body }) => {
          assert.equal(body.snapshots.length, 2)
        }),
      ),
    ),
  ]),
  claim('8', 'credits.free-endpoints', 'Every other data endpoint costs nothing, and `X-Credits-Cost` is 0.', [
    ...KEYED.filter(({ path }) => path !== LIST).map(({ request, as }) =>
      served(as, request, hasHeaders({ 'x-credits-cost': '0' })),
    ),
  ]),
  claim('8', 'credits.exact', 'Each delivered snapshots list takes exactly 10 credits from the account.', [
    served('own account', PAGE, async (_, scene) => {
      const before = await creditsOf(scene)
      const { headers } = await scene.ask('own account', PAGE)
      assert.equal(Number(headers['x-credits-remaining']), before - PRICE)
      assert.equal(await creditsOf(scene), before - PRICE)
    }),
  ]),
  claim('4.3', 'credits.refused-free', 'A refused request costs nothing.', [
    refused('own account', '/v1/markets/{unknown}/snapshots', [404, 'market_not_found'], async (_, scene) => {
      const before = await creditsOf(scene)
      for (const request of ['{unknown}/snapshots', '{live}/snapshots?limit=501', '{live}/snapshots?nonsense=1']) {
        assert.ok((await scene.ask('own account', `/v1/markets/${request}`)).status >= 400)
      }
      assert.equal(await creditsOf(scene), before)
    }),
  ]),
  claim('added', 'credits.dry-run', 'A dry run tells rows, calls and credits in advance, and costs nothing.', [
    served('own account', '/v1/markets/{closed}/snapshots?dry_run=true&limit=33', async ({ body, headers }, scene) => {
      assert.equal(headers['x-credits-cost'], '0')
      assert.deepEqual([body.rows, body.calls, body.credits], [80, 3, 3 * PRICE])
      const before = await creditsOf(scene)
      await scene.ask('own account', '/v1/markets/{closed}/snapshots?dry_run=true')
      assert.equal(await creditsOf(scene), before)
    }),
  ]),
  claim('added', 'credits.idempotency', 'A request that is repeated with its `Idempotency-Key` is charged once.', [
    served(
      'own account',
      '/v1/markets/{closed}/snapshots?limit=2',
      async ({ text }, scene) => {
        const before = await creditsOf(scene)
        const headers = { 'idempotency-key': 'conformance-1' }
        const again = await scene.ask('own account', '/v1/markets/{closed}/snapshots?limit=2', { headers })
        assert.deepEqual([again.status, again.headers['x-idempotent-replay'], again.text], [200, 'true', text])
        assert.equal(await creditsOf(scene), before)
        const other = await scene.ask('own account', '/v1/markets/{closed}/snapshots?limit=3', { headers })
        assert.deepEqual([other.status, other.body.error], [409, 'idempotency_mismatch'])
      },
      { headers: { 'idempotency-key': 'conformance-1' } },
    ),
  ]),
  claim('7', 'credits.none', 'Without enough credits the snapshots list is 402; the error has price and balance.', [
    ...['{live}', '{closed}', '{other}'].map((id) =>
      refused(
        'no credits',
        `/v1/markets/${id}/snapshots`,
        [402, 'out_of_credits'],
        isLike({ details: { credits_needed: PRICE, credits_remaining: 0, limited_by: 'account' } }),
      ),
    ),
  ]),
  claim('7', 'credits.none-needed', 'Without credits, everything that costs nothing is still served.', [
    ...ASKED_ENDPOINTS.filter(({ as, path }) => as === 'pro' && path !== LIST).map(({ request }) =>
      served('no credits', request, hasHeaders({ 'x-credits-cost': '0' })),
    ),
    served('no credits', '/v1/markets/{live}/snapshots?dry_run=true', ({ body }) => assert.ok(body.credits >= PRICE)),
  ]),
  claim('added', 'usage.ledger', 'Usage shows the charged credits as soon as they are charged.', [
    served('own account', '/v1/usage', async (_, scene) => {
      const before = await chargedFor(scene)
      await scene.ask('own account', PAGE)
      assert.equal(await chargedFor(scene), before + PRICE)
    }),
  ]),
  claim('added', 'usage.refused', 'Usage counts refused calls by endpoint and error code, and they are no calls.', [
    refused('own account', '/v1/markets/{closed}/depth?within=9', [400, 'invalid_request'], async (_, scene) => {
      const isCounted = ({ calls, refused: codes }: DepthUsage): boolean => calls === 0 && codes.invalid_request === 1
      for (let tries = 0; tries < MOST_TRIES && !(await depthUsage(scene)).some(isCounted); tries++) await sleep(500)
      const [row, ...others] = await depthUsage(scene)
      assert.deepEqual([row?.refused, row?.calls, row?.credits, others], [{ invalid_request: 1 }, 0, 0, []])
    }),
  ]),
  claim('added', 'usage.invalid', 'Usage covers at most 92 days, in order, grouped by day, key or endpoint.', [
    ...(
      [
        ['from=2026-11-15&to=2026-11-14', 'from'],
        ['from=2026-01-01&to=2026-11-15', 'from'],
        ['from=15', 'from'],
        ['group_by=month', 'group_by'],
        ['key_id=1', 'key_id'],
      ] as const
    ).map(([query, parameter]) =>
      refused('pro', `/v1/usage?${query}`, [400, 'invalid_request'], namesProblem(parameter)),
    ),
  ]),
]

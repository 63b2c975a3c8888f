import assert from 'node:assert/strict'
import { TIERS } from '../../../src/domain/tier.ts'
import { all, hasHeaders, isLike, namesProblem } from '../checks.ts'
import type { ContractScene } from '../clause.ts'
import { type Clause, clause, refused, served } from '../clause.ts'

const PAGE = '/v1/markets/{live}/snapshots?limit=2'
const PRICE = 10

async function creditsOf(scene: ContractScene): Promise<number> {
  return (await scene.ask('own account', '/v1/api-keys/validate')).body.creditsRemaining
}

/** The credits charged for snapshot lists, as the usage shows them at the time of the newest charge. */
async function chargedFor(scene: ContractScene): Promise<number> {
  const { body: ledger } = await scene.ask('own account', '/v1/credits?limit=1')
  const atMs = Date.parse(ledger.entries[0].at)
  const { body } = await scene.ask('own account', '/v1/usage?group_by=endpoint', { atMs })
  const row = body.usage.find(({ endpoint }: { endpoint: string }) => endpoint === 'list_snapshots')
  return row?.credits ?? 0
}

export const creditClauses: readonly Clause[] = [
  clause('4.3', 'The snapshots list costs 10 credits in every tier, and `X-Credits-Cost` says so.', [
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
  clause('8', 'Each delivered snapshots list takes exactly 10 credits from the account.', [
    served('own account', PAGE, async (_, scene) => {
      const before = await creditsOf(scene)
      const { headers } = await scene.ask('own account', PAGE)
      assert.equal(Number(headers['x-credits-remaining']), before - PRICE)
      assert.equal(await creditsOf(scene), before - PRICE)
    }),
  ]),
  clause('4.3', 'A refused request costs nothing.', [
    refused('own account', '/v1/markets/{unknown}/snapshots', [404, 'market_not_found'], async (_, scene) => {
      const before = await creditsOf(scene)
      for (const request of ['{unknown}/snapshots', '{live}/snapshots?limit=501', '{live}/snapshots?nonsense=1']) {
        assert.ok((await scene.ask('own account', `/v1/markets/${request}`)).status >= 400)
      }
      assert.equal(await creditsOf(scene), before)
    }),
  ]),
  clause('added', 'A dry run tells rows, calls and credits in advance, and costs nothing.', [
    served('own account', '/v1/markets/{closed}/snapshots?dry_run=true&limit=33', async ({ body, headers }, scene) => {
      assert.equal(headers['x-credits-cost'], '0')
      assert.deepEqual([body.rows, body.calls, body.credits], [80, 3, 3 * PRICE])
      const before = await creditsOf(scene)
      await scene.ask('own account', '/v1/markets/{closed}/snapshots?dry_run=true')
      assert.equal(await creditsOf(scene), before)
    }),
  ]),
  clause('added', 'A request that is repeated with its `Idempotency-Key` is charged once.', [
    served(
      'own account',
      '/v1/markets/{closed}/snapshots?limit=2',
      async ({ text }, scene) => {
        const before = await creditsOf(scene)
        const headers = { 'idempotency-key': 'contract-1' }
        const again = await scene.ask('own account', '/v1/markets/{closed}/snapshots?limit=2', { headers })
        assert.deepEqual([again.status, again.headers['x-idempotent-replay'], again.text], [200, 'true', text])
        assert.equal(await creditsOf(scene), before)
        const other = await scene.ask('own account', '/v1/markets/{closed}/snapshots?limit=3', { headers })
        assert.deepEqual([other.status, other.body.error], [409, 'idempotency_mismatch'])
      },
      { headers: { 'idempotency-key': 'contract-1' } },
    ),
  ]),
  clause('7', 'Without enough credits the snapshots list is 402; the error has price and balance.', [
    ...['{live}', '{closed}', '{other}'].map((id) =>
      refused(
        'no credits',
        `/v1/markets/${id}/snapshots`,
        [402, 'out_of_credits'],
        isLike({ details: { credits_needed: PRICE, credits_remaining: 0, limited_by: 'account' } }),
      ),
    ),
  ]),
  clause('7', 'Without credits, everything that costs nothing is still served.', [
    ...['/v1/categories', '/v1/markets/{live}/orderbook', '/v1/markets/{closed}/bars'].map((request) =>
      served('no credits', request, hasHeaders({ 'x-credits-cost': '0' })),
    ),
    served('no credits', '/v1/markets/{live}/snapshots?dry_run=true', ({ body }) => assert.ok(body.credits >= PRICE)),
  ]),
  clause('added', 'Usage shows the charged credits as soon as they are charged.', [
    served('own account', PAGE, async (_, scene) => {
      const before = await chargedFor(scene)
      await scene.ask('own account', PAGE)
      assert.equal(await chargedFor(scene), before + PRICE)
    }),
  ]),
  clause('added', 'Usage covers at most 92 days.', [
    refused('pro', '/v1/usage?from=2026-01-01&to=2026-11-15', [400, 'invalid_request'], namesProblem('from')),
  ]),
]

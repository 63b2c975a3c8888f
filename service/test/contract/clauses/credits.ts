import assert from 'node:assert/strict'
import { TIERS } from '../../../src/domain/tier.ts'
import { all, hasHeaders, isLike } from '../checks.ts'
import type { ContractScene } from '../clause.ts'
import { type Clause, clause, refused, served } from '../clause.ts'

const PAGE = '/v1/markets/{live}/snapshots?limit=2'
const PRICE = 10
const EXACT = [
  '/v1/asof?timestamp={two_seconds_ago}&markets={live}&includebook=true',
  '/api/snapshot?timestamp={two_seconds_ago}&marketId={live}&includebook=true',
  '/v1/exchange/snapshots?symbol=BTC&limit=20',
]

async function creditsOf(scene: ContractScene): Promise<number> {
  return (await scene.ask('own account', '/v1/api-keys/validate')).body.creditsRemaining
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
  clause(
    '8',
    'Exact books are free up to those of the day, beyond them 402 without credits; books without levels stay free.',
    [
      ...EXACT.flatMap((request) => [
        served('pro', request, hasHeaders({ 'x-credits-cost': '0', 'x-exact-books': /^[1-9]/ })),
        refused(
          'no credits',
          request,
          [402, 'out_of_credits'],
          isLike({ details: { credits_needed: 1, credits_remaining: 0 } }),
        ),
      ]),
      ...EXACT.filter((request) => request.includes('includebook')).map((request) =>
        served('no credits', request.replace('=true', '=false'), hasHeaders({ 'x-exact-books': '0' })),
      ),
    ],
  ),
]

import assert from 'node:assert/strict'
import { TIERS } from '../../src/domain/tier.ts'
import { ASKED_ENDPOINTS } from './asked-endpoints.ts'
import { hasHeaders, isLike } from './checks.ts'
import { type Row, type RowScene, rowsOf } from './row.ts'

const LIST = '/v1/markets/{id}/snapshots'
const PRICE = 10

/** The remaining credits as the limits endpoint shows them to the key. */
async function creditsOf(scene: RowScene): Promise<number> {
  return (await scene.ask('own account', '/v1/api-keys/validate')).body.creditsRemaining
}

const prices: Row[] = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody').map(({ section, path, request, as }) => ({
  section: section === undefined ? 'added' : '8',
  endpoint: path,
  request,
  as,
  shows: 'The snapshots list costs 10 credits, every other documented endpoint nothing, and each answer says so.',
  status: 200,
  check: hasHeaders({ 'x-credits-cost': path === LIST ? String(PRICE) : '0' }),
}))

const paid = rowsOf('4.3', [
  ...TIERS.map((tier) => ({
    endpoint: LIST,
    request: '/v1/markets/{live}/snapshots?limit=2',
    as: tier,
    shows: 'A delivered list costs 10 credits in every tier, and says what is left.',
    status: 200,
    check: hasHeaders({ 'x-credits-cost': '10', 'x-credits-remaining': /^\d+$/ }),
  })),
  {
    endpoint: LIST,
    request: '/v1/markets/{live}/snapshots?limit=2',
    as: 'own account',
    shows: 'Each delivered list takes 10 credits from the account, no more and no less.',
    status: 200,
    check: async (_, scene) => {
      const before = await creditsOf(scene)
      const { headers } = await scene.ask('own account', '/v1/markets/{live}/snapshots?limit=2')
      assert.equal(Number(headers['x-credits-remaining']), before - PRICE)
      assert.equal(await creditsOf(scene), before - PRICE)
    },
  },
  {
    endpoint: LIST,
    request: '/v1/markets/{unknown}/snapshots',
    as: 'own account',
    shows: 'A refused request is free.',
    status: 404,
    error: 'market_not_found',
    check: async (_, scene) => {
      const before = await creditsOf(scene)
      for (const request of ['{unknown}/snapshots', '{live}/snapshots?limit=501', '{live}/snapshots?nonsense=1']) {
        assert.ok((await scene.ask('own account', `/v1/markets/${request}`)).status >= 400)
      }
      assert.equal(await creditsOf(scene), before)
    },
  },
  {
    endpoint: LIST,
    request: '/v1/markets/{live}/snapshots?dry_run=true',
    as: 'own account',
    shows: 'A dry run tells rows, calls and credits beforehand, and costs nothing.',
    status: 200,
    check: async ({ body, headers }, scene) => {
      assert.equal(headers['x-credits-cost'], '0')
      assert.ok(body.rows > 0 && body.credits === body.calls * PRICE)
      const before = await creditsOf(scene)
      await scene.ask('own account', '/v1/markets/{live}/snapshots?dry_run=true')
      assert.equal(await creditsOf(scene), before)
    },
  },
  {
    endpoint: LIST,
    request: '/v1/markets/{closed}/snapshots?limit=2',
    as: 'own account',
    headers: { 'idempotency-key': 'conformance-1' },
    shows: 'A request that is repeated under the same key of its own is paid once.',
    status: 200,
    check: async ({ text }, scene) => {
      const before = await creditsOf(scene)
      const headers = { 'idempotency-key': 'conformance-1' }
      const again = await scene.ask('own account', '/v1/markets/{closed}/snapshots?limit=2', { headers })
      assert.deepEqual([again.status, again.headers['x-idempotent-replay'], again.text], [200, 'true', text])
      assert.equal(await creditsOf(scene), before)
      const other = await scene.ask('own account', '/v1/markets/{closed}/snapshots?limit=3', { headers })
      assert.deepEqual([other.status, other.body.error], [409, 'idempotency_mismatch'])
    },
  },
])

const poor: Row[] = [
  ...['{live}', '{closed}', '{other}'].map(
    (id): Row => ({
      section: '7',
      endpoint: LIST,
      request: `/v1/markets/${id}/snapshots`,
      as: 'no credits',
      shows: 'Without credits the snapshots list is 402, and says what it needs and what there is.',
      status: 402,
      error: 'out_of_credits',
      check: isLike({ details: { credits_needed: 10, credits_remaining: 0, limited_by: 'account' } }),
    }),
  ),
  ...ASKED_ENDPOINTS.filter(({ as, path }) => as === 'pro' && path !== LIST).map(
    ({ path, request }): Row => ({
      section: '7',
      endpoint: path,
      request,
      as: 'no credits',
      shows: 'What costs nothing is answered without credits too.',
      status: 200,
    }),
  ),
  {
    section: '7',
    endpoint: LIST,
    request: '/v1/markets/{live}/snapshots?dry_run=true',
    as: 'no credits',
    shows: 'What costs nothing is answered without credits too.',
    status: 200,
  },
]

/** The credits charged today for lists, as the usage endpoint shows them. */
async function chargedFor(scene: RowScene): Promise<number> {
  const { body } = await scene.ask('own account', '/v1/usage?group_by=endpoint')
  const row = body.usage.find(({ endpoint }: { endpoint: string }) => endpoint === 'list_snapshots')
  return row?.credits ?? 0
}

const used: Row[] = [
  {
    section: 'added',
    endpoint: '/v1/usage',
    request: '/v1/usage',
    as: 'own account',
    shows: 'Usage tells what the ledger has charged, as soon as it has.',
    status: 200,
    check: async (_, scene) => {
      const before = await chargedFor(scene)
      await scene.ask('own account', '/v1/markets/{live}/snapshots?limit=2')
      assert.equal(await chargedFor(scene), before + PRICE)
    },
  },
  ...['from=2026-11-15&to=2026-11-14', 'from=2026-01-01&to=2026-11-15', 'from=15', 'group_by=month', 'key_id=1'].map(
    (query): Row => ({
      section: 'added',
      endpoint: '/v1/usage',
      request: `/v1/usage?${query}`,
      as: 'pro',
      shows: 'Usage covers at most 92 days, the first before the last, grouped by day, key or endpoint.',
      status: 400,
      error: 'invalid_request',
    }),
  ),
]

export const moneyRows: readonly Row[] = [...prices, ...paid, ...poor, ...used]

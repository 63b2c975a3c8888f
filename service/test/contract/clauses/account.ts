import assert from 'node:assert/strict'
import { PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { SESSION_ENDPOINTS, withParameter } from '../asked-endpoints.ts'
import { all, assertMembers, explains, hasHeaders, hasMembers, isLike, needsTiers } from '../checks.ts'
import type { ContractScene } from '../clause.ts'
import { type Clause, clause, refused, served } from '../clause.ts'
import { API_KEY, SUBSCRIPTION, SUBSCRIPTION_LIMITS, USER_TIER } from '../members.ts'

const KEYS = '/v1/api-keys'
const OUR_PAGES = { origin: PUBLIC_URL, 'x-requested-with': 'bookreel' }
const JSON_PAGES = { ...OUR_PAGES, 'content-type': 'application/json' }
const READ = SESSION_ENDPOINTS.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
const CHANGES = SESSION_ENDPOINTS.filter(({ method }) => method !== 'GET')

async function listed(scene: ContractScene): Promise<{ id: string; label: string }[]> {
  return (await scene.ask('key maker', KEYS)).body
}

function revoke(scene: ContractScene, id: string): ReturnType<ContractScene['ask']> {
  return scene.ask('key maker', `${KEYS}/${id}`, { method: 'DELETE', headers: OUR_PAGES })
}

function validate(scene: ContractScene, key: string): ReturnType<ContractScene['ask']> {
  return scene.ask('nobody', '/v1/api-keys/validate', { headers: { 'x-api-key': key } })
}

const creating = (label: string) => ({
  method: 'POST' as const,
  headers: JSON_PAGES,
  payload: JSON.stringify({ label }),
})

export const accountClauses: readonly Clause[] = [
  clause('4.5', 'Account endpoints need a browser session: an API key alone is 401.', [
    ...SESSION_ENDPOINTS.flatMap(({ method, request }) =>
      (['nobody', 'pro'] as const).map((as) =>
        refused(as, request, [401, 'unauthenticated'], explains(/sign in|session/i), {
          method,
          headers: method === 'GET' ? {} : OUR_PAGES,
        }),
      ),
    ),
  ]),
  clause('5', 'Requests that change an account are 403 unless they come from our own pages.', [
    ...CHANGES.flatMap(({ method, request }) =>
      [{}, { origin: PUBLIC_URL }, { ...OUR_PAGES, origin: 'https://elsewhere.example' }].map((headers) =>
        refused('member', request, [403, 'cross_site_refused'], explains(/Origin|X-Requested-With|page/i), {
          method,
          headers,
        }),
      ),
    ),
  ]),
  clause('4.5', 'Answers to a session are not cached.', [
    ...READ.map(({ request }) => served('member', request, hasHeaders({ 'cache-control': 'no-store' }))),
  ]),
  clause('added', 'Account endpoints refuse unknown parameters too.', [
    ...READ.map(({ request }) =>
      refused('member', withParameter(request, 'nonsense=1'), [400, 'invalid_request'], ({ body }) =>
        assert.deepEqual(body.details.unknown_parameters, ['nonsense']),
      ),
    ),
  ]),
  clause('7', 'On account endpoints csv needs the scale or enterprise tier too.', [
    ...READ.map(({ request }) =>
      refused(
        'member',
        withParameter(request, 'format=csv'),
        [403, 'tier_not_allowed'],
        needsTiers('scale', 'enterprise'),
      ),
    ),
  ]),
  clause('4.2', 'Answers to a session are also csv.', [
    ...READ.map(({ request }) =>
      served('scale member', withParameter(request, 'format=csv'), hasHeaders({ 'content-type': /^text\/csv/ })),
    ),
  ]),
  clause('2.9', 'The user tier has every listed member with the limits of the tier.', [
    served(
      'member',
      '/v1/user/tier',
      all(
        hasMembers(USER_TIER),
        isLike({ tier: 'free', rateLimitRpm: 60, wsConnectionsMax: 0, historyDepthHours: 24, mcpAccess: 'read' }),
        ({ body }, { nowMs }) =>
          assert.ok(Date.parse(body.expiresAt) > nowMs && body.creditsTotal >= body.creditsRemaining),
      ),
    ),
  ]),
  clause('2.10', 'A subscription has every listed member; without a plan it is the free one.', [
    served(
      'member',
      '/v1/payments/subscription',
      all(
        hasMembers(SUBSCRIPTION),
        hasMembers(SUBSCRIPTION_LIMITS, ({ limits }) => limits),
        isLike({
          provider: 'none',
          plan: 'free',
          tier: 'free',
          limits: { rpm: 60, wsMax: 0, maxKeys: 1, mcp: 'read' },
        }),
      ),
    ),
  ]),
  clause('4.5', 'A key is created with 201, shown once, listed with a preview, and revoked with 204.', [
    {
      ...served(
        'key maker',
        KEYS,
        async ({ body }, scene) => {
          assertMembers(body, { ...API_KEY, key: 'text' })
          const { body: entries } = await scene.ask('key maker', KEYS)
          assertMembers(entries[0], API_KEY)
          assert.deepEqual([entries[0].id, entries[0].label], [body.id, 'first'])
          assert.ok(entries[0].preview.length > 4 && body.key.includes(entries[0].preview.replace(/[^\w].*$/, '')))
          assert.ok(!JSON.stringify(entries).includes(body.key))
          assert.equal((await validate(scene, body.key)).status, 200)
          const revoked = await revoke(scene, body.id)
          assert.deepEqual([revoked.status, revoked.text], [204, ''])
          assert.equal((await validate(scene, body.key)).status, 401)
          assert.deepEqual(await listed(scene), [])
          assert.equal((await revoke(scene, body.id)).status, 404)
        },
        creating('first'),
      ),
      status: 201,
    },
  ]),
  clause('4.5', 'A body that is not JSON, lacks the label or has unknown members is 400.', [
    ...['', '{}', '{"label":""}', '{"label":"x","tier":"pro"}', '{"label":"x","scopes":["all"]}', '["label"]'].map(
      (payload) =>
        refused(
          'key maker',
          KEYS,
          [400, 'invalid_request'],
          async ({ body }, scene) => {
            assert.ok(body.message.length > 10)
            assert.deepEqual(await listed(scene), [])
          },
          { method: 'POST', headers: JSON_PAGES, payload },
        ),
    ),
  ]),
  clause('4.5', 'Another method on the keys is 405, and `Allow` lists the methods.', [
    refused('nobody', KEYS, [405, 'method_not_allowed'], hasHeaders({ allow: /GET.*POST/ }), { method: 'PUT' }),
  ]),
]

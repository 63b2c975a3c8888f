import assert from 'node:assert/strict'
import { PUBLIC_URL } from '@bookreel/testbed/service/test-service'
import { SESSION_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { all, assertMembers, hasHeaders, hasMembers, isLike } from './checks.ts'
import { API_KEY, SUBSCRIPTION, SUBSCRIPTION_LIMITS, USER_TIER } from './members.ts'
import { type Row, type RowScene, rowsOf } from './row.ts'

const KEYS = '/v1/api-keys'
const KEY = '/v1/api-keys/{key_id}'
const OUR_PAGES = { origin: PUBLIC_URL, 'x-requested-with': 'bookreel' }
const JSON_PAGES = { ...OUR_PAGES, 'content-type': 'application/json' }
const MOST_KEYS_OF_PRO = 5

const withoutSession: Row[] = SESSION_ENDPOINTS.flatMap(({ method, path, request }) =>
  (['nobody', 'pro', 'enterprise', 'malformed key'] as const).map((as) => ({
    section: '4.5',
    endpoint: path,
    method,
    request,
    as,
    headers: method === 'GET' ? {} : OUR_PAGES,
    shows: 'Account endpoints are for a browser session; an API key alone is 401, however good it is.',
    status: 401,
    error: 'unauthenticated',
  })),
)

const fromElsewhere: Row[] = SESSION_ENDPOINTS.filter(({ method }) => method !== 'GET').flatMap(
  ({ method, path, request }) =>
    [{}, { origin: PUBLIC_URL }, { ...OUR_PAGES, origin: 'https://elsewhere.example' }].map((headers) => ({
      section: '5',
      endpoint: path,
      method,
      request,
      as: 'member' as const,
      headers,
      shows: 'What changes an account is taken from our own pages only, whatever the browser sends along.',
      status: 403,
      error: 'cross_site_refused' as const,
    })),
)

const asked: Row[] = SESSION_ENDPOINTS.filter(({ method, path }) => method === 'GET' && !path.includes('{')).flatMap(
  ({ path, request }): Row[] => [
    {
      section: '4.5',
      endpoint: path,
      request,
      as: 'member',
      shows: 'A signed-in user gets a response, which is not cacheable.',
      status: 200,
      check: hasHeaders({ 'cache-control': 'no-store' }),
    },
    {
      section: '4.5',
      endpoint: path,
      request: withParameter(request, 'nonsense=1'),
      as: 'member',
      shows: 'A parameter that does not exist is refused, with those that do.',
      status: 400,
      error: 'invalid_request',
    },
    {
      section: '7',
      endpoint: path,
      request: withParameter(request, 'format=csv'),
      as: 'member',
      shows: 'Flat files are for the scale and enterprise tiers, on every endpoint.',
      status: 403,
      error: 'tier_not_allowed',
    },
  ],
)

const plans: Row[] = [
  {
    section: '2.9',
    endpoint: '/v1/user/tier',
    request: '/v1/user/tier',
    as: 'member',
    shows: 'The tier of an account has the members that are listed, with their types.',
    status: 200,
    check: all(hasMembers(USER_TIER), isLike({ tier: 'free', rateLimitRpm: 60, mcpAccess: 'read' })),
  },
  {
    section: '2.10',
    endpoint: '/v1/payments/subscription',
    request: '/v1/payments/subscription',
    as: 'member',
    shows: 'A subscription has the members that are listed, with their types; without a plan it is the free one.',
    status: 200,
    check: all(
      hasMembers(SUBSCRIPTION),
      hasMembers(SUBSCRIPTION_LIMITS, ({ limits }) => limits),
      isLike({ provider: 'none', plan: 'free', limits: { maxKeys: 1 } }),
    ),
  },
  {
    section: '8',
    endpoint: '/v1/payments/subscription',
    request: '/v1/payments/subscription',
    as: 'key maker',
    shows: 'The pro tier has 300 requests a minute, one WebSocket, no bound of history, full MCP and five keys.',
    status: 200,
    check: isLike({ tier: 'pro', limits: { rpm: 300, wsMax: 1, historyHours: 0, mcp: 'full', maxKeys: 5 } }),
  },
]

async function listed(scene: RowScene): Promise<{ id: string; label: string }[]> {
  return (await scene.ask('key maker', KEYS)).body
}

function make(scene: RowScene, label: string): ReturnType<RowScene['ask']> {
  return scene.ask('key maker', KEYS, { method: 'POST', headers: JSON_PAGES, payload: JSON.stringify({ label }) })
}

function revoke(scene: RowScene, id: string): ReturnType<RowScene['ask']> {
  return scene.ask('key maker', `${KEYS}/${id}`, { method: 'DELETE', headers: OUR_PAGES })
}

const keys = rowsOf('4.5', [
  {
    endpoint: KEYS,
    method: 'POST',
    request: KEYS,
    as: 'key maker',
    headers: JSON_PAGES,
    payload: JSON.stringify({ label: 'first' }),
    shows: 'A key is made with a label and answered 201; it is in that answer and in no other.',
    status: 201,
    check: async ({ body }, scene) => {
      assertMembers(body, { ...API_KEY, key: 'text' })
      const { body: entries } = await scene.ask('key maker', KEYS)
      assertMembers(entries[0], API_KEY)
      assert.equal(entries[0].id, body.id)
      assert.ok(!JSON.stringify(entries).includes(body.key))
      const asked = await scene.ask('nobody', '/v1/api-keys/validate', { headers: { 'x-api-key': body.key } })
      assert.equal(asked.status, 200)
      const revoked = await revoke(scene, body.id)
      assert.deepEqual([revoked.status, revoked.text], [204, ''])
      const refused = await scene.ask('nobody', '/v1/api-keys/validate', { headers: { 'x-api-key': body.key } })
      assert.equal(refused.status, 401)
      assert.deepEqual(await listed(scene), [])
      assert.equal((await revoke(scene, body.id)).status, 404)
    },
  },
  {
    endpoint: KEYS,
    method: 'POST',
    request: KEYS,
    as: 'key maker',
    headers: JSON_PAGES,
    payload: JSON.stringify({ label: 'one of five' }),
    shows: 'A tier has a most of keys that work; one more is 403 until one is revoked.',
    status: 201,
    check: async (_, scene) => {
      while ((await listed(scene)).length < MOST_KEYS_OF_PRO) assert.equal((await make(scene, 'more')).status, 201)
      const refused = await make(scene, 'one too many')
      assert.deepEqual([refused.status, refused.body.error], [403, 'key_limit_reached'])
      for (const { id } of await listed(scene)) assert.equal((await revoke(scene, id)).status, 204)
    },
  },
  ...['', '{}', '{"label":""}', '{"label":"x","tier":"pro"}', '{"label":"x","scopes":["all"]}', '["label"]'].map(
    (payload) => ({
      endpoint: KEYS,
      method: 'POST' as const,
      request: KEYS,
      as: 'key maker' as const,
      headers: JSON_PAGES,
      payload,
      shows: 'A body that is none, lacks the label or has members that do not exist is refused.',
      status: 400,
      error: 'invalid_request' as const,
    }),
  ),
  ...['0f8b1a52-5f1b-4c7e-9d3a-1f2e3d4c5b6a', 'nonsense', '1'].map((id) => ({
    endpoint: KEY,
    method: 'DELETE' as const,
    request: `${KEYS}/${id}`,
    as: 'member' as const,
    headers: OUR_PAGES,
    shows: 'A key that is unknown, foreign or no id at all is 404.',
    status: 404,
    error: 'key_not_found' as const,
  })),
  ...(['PUT'] as const).map((method) => ({
    endpoint: KEYS,
    method,
    request: KEYS,
    as: 'nobody' as const,
    shows: 'Another method is refused with the list of allowed ones.',
    status: 405,
    error: 'method_not_allowed' as const,
    check: hasHeaders({ allow: 'GET, POST' }),
  })),
])

export const accountRows: readonly Row[] = [...withoutSession, ...fromElsewhere, ...asked, ...plans, ...keys]

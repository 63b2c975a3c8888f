import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { AccountScene } from './account-scene.ts'

let scene: AccountScene
beforeAll(async () => {
  scene = await AccountScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

async function statusOf(key: string): Promise<number> {
  return (await scene.newBrowser().send('/v1/api-keys/validate', { headers: { 'x-api-key': key } })).status
}

test('a key is created, listed without its secret, used, revoked, and then refused at once', async () => {
  const member = await scene.signedIn('maker@example.test')
  const made = await member.ask('/v1/api-keys', 'POST', { label: ' notebook ', scopes: ['live'], creditLimit: 40 })
  expect(made.status).toBe(201)
  const { key, ...entry } = made.body
  expect(key).toMatch(/^br_live_[0-9A-Za-z]{38}$/)
  expect(entry).toMatchObject({
    label: 'notebook',
    scopes: ['live'],
    creditLimit: 40,
    lastUsedAt: null,
    expiresAt: null,
  })
  expect(await statusOf(key)).toBe(200)
  const listed = await member.ask('/v1/api-keys')
  expect(listed.body).toMatchObject([{ id: entry.id, preview: `br_live_…${key.slice(-4)}` }])
  expect(JSON.stringify(listed.body)).not.toContain(key)
  const revoked = await member.ask(`/v1/api-keys/${entry.id}`, 'DELETE')
  expect(revoked).toEqual({ status: 204, body: undefined })
  expect(await statusOf(key)).toBe(401)
  expect((await member.ask('/v1/api-keys')).body).toEqual([])
  expect((await member.ask(`/v1/api-keys/${entry.id}`, 'DELETE')).body).toMatchObject({ error: 'key_not_found' })
})

test('keys of other accounts can neither be listed nor revoked, and the error does not reveal that they exist', async () => {
  const [mine, theirs] = [await scene.signedIn('me@example.test'), await scene.signedIn('them@example.test')]
  const { body } = await theirs.ask('/v1/api-keys', 'POST', { label: 'theirs' })
  for (const id of [body.id, '0f8b1a52-5f1b-4c7e-9d3a-1f2e3d4c5b6a', 'nonsense', `${body.id}'--`]) {
    const answer = await mine.ask(`/v1/api-keys/${encodeURIComponent(id)}`, 'DELETE')
    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({
      error: 'key_not_found',
      message: 'This account has no working key with this id.',
    })
  }
  expect(await statusOf(body.key)).toBe(200)
  expect((await mine.ask('/v1/api-keys')).body).toEqual([])
})

test('of 200 keys created concurrently on two nodes, on a tier of 5, exactly 5 are created', async () => {
  const member = await scene.signedIn('racer@example.test', 'pro')
  await using node = await scene.newNode()
  const other = scene.newBrowser(node)
  const headers = {
    origin: scene.origin,
    'x-requested-with': 'bookreel',
    'content-type': 'application/json',
    cookie: member.browser.cookieHeader,
  }
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      (index % 2 === 0 ? member.browser : other).send('/v1/api-keys', {
        method: 'POST',
        headers,
        body: JSON.stringify({ label: `key ${index}` }),
      }),
    ),
  )
  const outcomes = Map.groupBy(answers, ({ status, text }) => `${status} ${JSON.parse(text).error ?? ''}`.trim())
  // On a machine that is too slow for 200 at once, the store is unavailable for some.
  const allowed = ['201', '403 key_limit_reached', '503 store_unavailable']
  expect([...outcomes.keys()].filter((outcome) => !allowed.includes(outcome))).toEqual([])
  expect(outcomes.get('403 key_limit_reached')?.length).toBeGreaterThan(0)
  expect((await member.ask('/v1/api-keys')).body).toHaveLength(5)
})

test.each<[what: string, body: unknown]>([
  ['nothing', undefined],
  ['no label', {}],
  ['an empty label', { label: '  ' }],
  ['a label too long', { label: 'x'.repeat(65) }],
  ['a control character', { label: 'a\u0000b' }],
  ['a member that does not exist', { label: 'x', tier: 'enterprise' }],
  ['an account of somebody else', { label: 'x', accountId: 'y' }],
  ['no scope at all', { label: 'x', scopes: [] }],
  ['an unknown scope', { label: 'x', scopes: ['admin'] }],
  ['a scope twice', { label: 'x', scopes: ['live', 'live'] }],
  ['a time in the past', { label: 'x', expiresAt: '2025-01-01T00:00:00Z' }],
  ['no time', { label: 'x', expiresAt: 'tomorrow' }],
  ['fewer than no credits', { label: 'x', creditLimit: -1 }],
  ['half a credit', { label: 'x', creditLimit: 0.5 }],
])('creating a key with %s is refused', async (_, body) => {
  const member = await scene.signedIn('careful@example.test')
  const answer = await member.ask('/v1/api-keys', 'POST', body)
  expect(answer.body).toMatchObject({ error: 'invalid_request', status: 400 })
  expect((await member.ask('/v1/api-keys')).body).toEqual([])
})

test('tier and subscription show what the account has and what is left of this month', async () => {
  const member = await scene.signedIn('planned@example.test')
  const limits = { rpm: 60, wsMax: 0, historyHours: 24, mcp: 'read', maxKeys: 1 }
  const subscription = (await member.ask('/v1/payments/subscription')).body
  // When PostgreSQL granted the credits of this month.
  const { at } = await scene.access.database
    .selectFrom('ledger')
    .select('at')
    .where('account_id', '=', member.accountId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  const nextMonth = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)).toISOString()
  expect(subscription).toEqual({
    provider: 'none',
    plan: 'free',
    tier: 'free',
    creditsRemaining: 5_000,
    expiresAt: nextMonth,
    limits,
    waiting: [],
  })
  const { key } = await issueKey(scene.access, { accountId: member.accountId, label: 'spender' })
  const caller = await scene.access.accessControl.authenticate(key, '10.0.0.1')
  await scene.access.accessControl.charge(caller, { credits: 30, endpoint: 'x', fingerprint: 'x', requestId: 'x' })
  expect((await member.ask('/v1/user/tier')).body).toEqual({
    tier: 'free',
    creditsRemaining: 4_970,
    creditsTotal: 5_000,
    rateLimitRpm: 60,
    wsConnectionsMax: 0,
    historyDepthHours: 24,
    mcpAccess: 'read',
    expiresAt: nextMonth,
  })
})

test('a tier with an end shows its end date, and afterwards the account is on the free tier', async () => {
  const member = await scene.signedIn('ending@example.test')
  const change = { tier: 'scale', monthlyCredits: 500_000 } as const
  const expiresAtMs = Date.parse('9999-01-01T00:00:00Z')
  await scene.access.accounts.setTier(member.accountId, { ...change, expiresAtMs })
  expect((await member.ask('/v1/payments/subscription')).body).toMatchObject({
    provider: 'operator',
    plan: 'scale',
    expiresAt: new Date(expiresAtMs).toISOString(),
    limits: { maxKeys: 10 },
  })
  await scene.access.accounts.setTier(member.accountId, { ...change, expiresAtMs: 0 })
  expect((await member.ask('/v1/payments/subscription')).body).toMatchObject({ provider: 'none', plan: 'free' })
  expect((await member.ask('/v1/user/tier?format=csv')).status).toBe(403)
})

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { issueKey } from '../../src/access/issue-key.ts'
import { KnownRate } from '../../src/access/known-rate.ts'
import { endpoints } from '../../src/endpoints/index.ts'
import { SESSION_COOKIE } from '../../src/http/session-cookies.ts'
import { SessionStore } from '../../src/stores/accounts/sessions.ts'
import { AccountScene } from './account-scene.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let scene: AccountScene
beforeAll(async () => {
  scene = await AccountScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())
afterEach(() => {
  scene.clock.aheadMs = 0
})

const OF_SESSIONS = endpoints
  .filter(({ access }) => access !== 'public' && access.by === 'session')
  .map(({ method, path }): [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string] => [
    method,
    path.replace(/\{\w+\}/, '0f8b1a52-5f1b-4c7e-9d3a-1f2e3d4c5b6a'),
  ])
const MUTATIONS = OF_SESSIONS.filter(([method]) => method !== 'GET')

describe('session lifetime', () => {
  test('a session ends after half an hour without a request, and each request extends it', async () => {
    const member = await scene.signedIn('idle@example.test')
    for (const aheadMs of [29 * MINUTE_MS, 58 * MINUTE_MS]) {
      scene.clock.aheadMs = aheadMs
      expect((await member.ask('/v1/user/tier')).status).toBe(200)
    }
    scene.clock.aheadMs = 88 * MINUTE_MS
    expect((await member.ask('/v1/user/tier')).status).toBe(401)
    scene.clock.aheadMs = 59 * MINUTE_MS
    expect((await member.ask('/v1/user/tier')).status, 'what has ended does not come back').toBe(401)
  })

  test('a session ends after twelve hours, however active it was', async () => {
    const member = await scene.signedIn('busy@example.test')
    for (let aheadMs = 0; aheadMs < 12 * HOUR_MS; aheadMs += 25 * MINUTE_MS) {
      scene.clock.aheadMs = aheadMs
      expect((await member.ask('/auth/session')).body.signedIn).toBe(true)
    }
    scene.clock.aheadMs = 12 * HOUR_MS
    expect((await member.ask('/v1/user/tier')).status).toBe(401)
  })

  test('the session of an operator ends after an hour, because the claim in it is not asked for again', async () => {
    const member = await scene.signedIn('operator.all.day@example.test')
    for (const aheadMs of [0, 25 * MINUTE_MS, 50 * MINUTE_MS]) {
      scene.clock.aheadMs = aheadMs
      expect((await member.ask('/app/api/operator/board')).status).toBe(200)
    }
    scene.clock.aheadMs = HOUR_MS
    expect((await member.ask('/app/api/operator/board')).status).toBe(401)
    expect((await member.ask('/auth/session')).body).toEqual({ signedIn: false })
  })

  test('a session expires in Redis by itself', async () => {
    const member = await scene.signedIn('forgotten@example.test')
    const [name = ''] = await scene.redis.ask((client) => client.sMembers(`sessions-of:{${member.accountId}}`))
    const leftMs = await scene.redis.ask((client) => client.pTTL(`session:{${member.accountId}}:${name}`))
    expect(leftMs).toBeGreaterThan(29 * MINUTE_MS)
    expect(leftMs).toBeLessThanOrEqual(30 * MINUTE_MS)
  })

  test('signing out everywhere ends every session of this account, and no other', async () => {
    const [here, there] = [await scene.signedIn('two@example.test'), await scene.signedIn('two@example.test')]
    const other = await scene.signedIn('other@example.test')
    expect((await here.ask('/auth/logout', 'POST', { everywhere: true })).status).toBe(200)
    expect((await there.ask('/v1/user/tier')).status).toBe(401)
    expect((await other.ask('/v1/user/tier')).status).toBe(200)
    expect(await scene.access.sessions.endAll(other.accountId), 'an operator can say so too').toBe(1)
    expect((await other.ask('/v1/user/tier')).status).toBe(401)
  })

  test('a request in progress when the session ends does not revive it', async () => {
    const member = await scene.signedIn('late@example.test')
    const store = new SessionStore(scene.redis)
    const [hash = ''] = await scene.redis.ask((client) => client.sMembers(`sessions-of:{${member.accountId}}`))
    const session = await store.find(hash)
    if (session === undefined) throw new Error('there is no session')
    await scene.access.sessions.endAll(member.accountId)
    await store.update(hash, session, MINUTE_MS)
    expect((await member.ask('/v1/user/tier')).status).toBe(401)
  })
})

describe.each(OF_SESSIONS)('%s %s', (method, path) => {
  test('needs a session: no cookie, an API key and another cookie are refused', async () => {
    const { id: accountId } = await scene.access.accounts.create('keyed')
    const { key } = await issueKey(scene.access, { accountId, label: 'good' })
    const { token } = await scene.signedIn('prefix@example.test')
    const ours = { origin: scene.origin, 'x-requested-with': 'bookreel' }
    const attempts: Record<string, string>[] = [
      {},
      { 'x-api-key': key },
      { authorization: `Bearer ${token}` },
      { cookie: `bookreel=${token}` },
      { cookie: `__Secure-bookreel=${token}` },
      { cookie: `${SESSION_COOKIE}=` },
      { cookie: `${SESSION_COOKIE}=${'x'.repeat(43)}` },
      { cookie: `${SESSION_COOKIE}=${token.slice(1)}`, 'x-api-key': key },
    ]
    for (const headers of attempts) {
      const answer = await scene.newBrowser().send(path, { method, headers: { ...ours, ...headers } })
      expect(answer.status, JSON.stringify(headers)).toBe(401)
      expect(JSON.parse(answer.text)).toMatchObject({ error: 'unauthenticated' })
    }
  })

  test('is not cacheable, and allows no other site to send cookies', async () => {
    const { token } = await scene.signedIn('cache@example.test')
    const headers = { cookie: `${SESSION_COOKIE}=${token}`, origin: 'https://evil.example' }
    const answer = await scene.newBrowser().send(path, { method, headers })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answer.headers.get('access-control-allow-origin')).not.toBe('https://evil.example')
  })
})

test('headers that a proxy adds do not end a session', async () => {
  const { token } = await scene.signedIn('proxied@example.test')
  for (const headers of [{ authorization: 'Basic YTpi' }, { 'x-api-key': '' }, { authorization: 'Bearer other' }]) {
    const cookie = `${SESSION_COOKIE}=${token}`
    const { status } = await scene
      .newBrowser()
      .send('/v1/user/tier', { method: 'GET', headers: { cookie, ...headers } })
    expect(status, JSON.stringify(headers)).toBe(200)
  }
})

test('while Redis is unavailable every session is refused with 503', async () => {
  const { token } = await scene.signedIn('away@example.test')
  const headers = { cookie: `${SESSION_COOKIE}=${token}`, origin: scene.origin, 'x-requested-with': 'bookreel' }
  await scene.stack.engine('redis').kill()
  const addresses = [...OF_SESSIONS, ['GET', '/auth/session'] as const]
  const answers = await Promise.all(
    addresses.map(([method, path]) => scene.newBrowser().send(path, { method, headers })),
  )
  await scene.stack.engine('redis').restart()
  await expect.poll(() => scene.redis.isReady).toBe(true)
  for (const { text } of answers) expect(JSON.parse(text)).toMatchObject({ error: 'store_unavailable', status: 503 })
  expect((await scene.newBrowser().send('/v1/user/tier', { headers })).status, 'and afterwards all is well').toBe(200)
})

test('without an identity provider, everything that needs a session says so', async () => {
  const nothing = { OIDC_ISSUER: undefined, OIDC_CLIENT_ID: undefined, OIDC_CLIENT_SECRET: undefined }
  await using node = await scene.newNode(nothing)
  for (const [method, path] of [...OF_SESSIONS, ['GET', '/auth/session'] as const, ['GET', '/auth/login'] as const]) {
    const answer = await scene.newBrowser(node).send(path, { method })
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'sign_in_not_configured', status: 501 })
  }
})

test.each([
  ['half of the settings', { OIDC_CLIENT_SECRET: undefined }, 'must all be set'],
  ['no address of our own', { PUBLIC_URL: undefined }, 'PUBLIC_URL is not set'],
  ['an address in the clear', { PUBLIC_URL: 'http://data.example.com' }, 'must be https'],
  ['a provider in the clear', { OIDC_ISSUER: 'http://id.example.com' }, 'must be https'],
])('with %s the service does not start', async (_, changes, message) => {
  await expect(scene.newNode(changes)).rejects.toThrow(message)
})

describe.each([...MUTATIONS, ['POST', '/auth/logout'] as const])('%s %s', (method, path) => {
  const OURS = (): Record<string, string> => ({ origin: scene.origin, 'x-requested-with': 'bookreel' })

  test.each<[what: string, change: Record<string, string | undefined>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://localhost:1' }],
    ['an origin that nobody knows', { origin: 'null' }],
    ['no origin', { origin: undefined }],
    ['no header that a foreign page can’t set', { 'x-requested-with': undefined }],
    ['another value of that header', { 'x-requested-with': 'XMLHttpRequest' }],
    ['a browser that calls it cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a browser that calls it same-site', { 'sec-fetch-site': 'same-site' }],
  ])('is refused with %s', async (_, change) => {
    const { token, browser } = await scene.signedIn('crossed@example.test')
    const entries = Object.entries({ ...OURS(), ...change, cookie: `${SESSION_COOKIE}=${token}` })
    const headers = Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
    const answer = await browser.send(path, { method, headers })
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'cross_site_refused', status: 403 })
    expect((await browser.send('/v1/user/tier')).status, 'nothing has happened').toBe(200)
  })
})

test('requests of one account above the session rate limit are refused', async () => {
  const member = await scene.signedIn('wild@example.test')
  const statuses = await Promise.all(
    Array.from({ length: 150 }, async () => (await member.ask('/v1/user/tier')).status),
  )
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(120)
  expect(statuses).toContain(429)
})

test('a signed-in account has a rate also where it needs no session, and other accounts are not touched', async () => {
  await using node = await scene.newNode({}, { knownRate: new KnownRate({ rpm: 2, burst: 5 }) })
  const [one, other] = [scene.newBrowser(node), scene.newBrowser(node)]
  await one.signIn('busy@example.test')
  await other.signIn('calm@example.test')
  const paths = ['/auth/session', '/v1/status', '/v1/limits', '/docs/', '/no/such/path']
  // Until a process has seen the session it counts the address.
  await other.send('/auth/session')
  for (let request = 0; request < 30; request++) await one.send(paths[request % paths.length] ?? '')
  for (const path of paths) {
    const { status, text } = await one.send(path)
    expect([path, status, JSON.parse(text).error]).toEqual([path, 429, 'rate_limited'])
  }
  expect((await other.send('/auth/session')).status).toBe(200)
  const own = { headers: { 'x-requested-with': 'bookreel' } }
  expect((await one.send('/v1/user/tier', own)).status, 'session endpoints have their own').toBe(200)
  expect((await one.send('/app/api/v1/limits', own)).status, 'as the pages have').toBe(200)
  expect((await one.send('/auth/logout', { method: 'POST', body: '{}', ...own })).status).toBe(429)
})

import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AnonymousBudget } from '../../src/access/anonymous-budget.ts'
import { AccountScene, Member } from './account-scene.ts'

let scene: AccountScene
beforeAll(async () => {
  scene = await AccountScene.open()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

const LIMITS = '/app/api/v1/limits'

/** 60 requests a minute are allowed; a slow machine gets some more in the time that they take. */
async function untilRefused(ask: () => Promise<{ status: number }>): Promise<boolean> {
  for (let request = 0; request < 200; request++) if ((await ask()).status === 429) return true
  return false
}

test('a signed-in page reads what a key could read, and no API key is needed', async () => {
  const member = await scene.signedIn('reader@example.test', 'pro')
  const { status, body } = await member.ask(LIMITS)
  expect([status, body.tier]).toEqual([200, 'pro'])
  expect((await member.ask('/app/api/v1/markets/live?limit=1')).status).toBe(200)
})

test('without a session, with an API key only, or without the header of our pages nothing is answered', async () => {
  const member = await scene.signedIn('owner@example.test')
  const { body } = await member.ask('/v1/api-keys', 'POST', { label: 'bot' })
  const stranger = scene.newBrowser()
  const ours = { 'x-requested-with': 'bookreel' }
  const answers = {
    stranger: await stranger.send(LIMITS, { headers: ours }),
    key: await stranger.send(LIMITS, { headers: { ...ours, 'x-api-key': body.key } }),
    link: await member.browser.send(LIMITS),
    otherOrigin: await member.browser.send(LIMITS, { headers: { ...ours, origin: 'https://other.example' } }),
    otherSite: await member.browser.send(LIMITS, { headers: { ...ours, 'sec-fetch-site': 'cross-site' } }),
    sameSite: await member.browser.send(LIMITS, { headers: { ...ours, 'sec-fetch-site': 'same-site' } }),
  }
  const codes = Object.fromEntries(
    Object.entries(answers).map(([name, { status, text }]) => [name, [status, JSON.parse(text).error]]),
  )
  const refused = [403, 'cross_site_refused']
  expect(codes).toEqual({
    stranger: [401, 'unauthenticated'],
    key: [401, 'unauthenticated'],
    link: refused,
    otherOrigin: refused,
    otherSite: refused,
    sameSite: refused,
  })
})

test('another site can not use up the rate of the pages, and no site may read their answers', async () => {
  const member = await scene.signedIn('visited@example.test')
  for (let request = 0; request < 5; request++) await member.browser.send(LIMITS)
  const { status, headers } = await member.browser.send(LIMITS, {
    headers: { 'x-requested-with': 'bookreel', 'sec-fetch-site': 'same-origin' },
  })
  expect([status, headers.get('ratelimit-limit') ?? headers.get('x-ratelimit-limit')]).toEqual([200, '60'])
  expect(headers.get('ratelimit-remaining') ?? headers.get('x-ratelimit-remaining')).toBe('59')
  expect(headers.get('access-control-allow-origin')).toBeNull()
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
})

test('pages have a rate of their own: a bot that uses up its own does not stop them, nor they the bot', async () => {
  const member = await scene.signedIn('both@example.test')
  const { body } = await member.ask('/v1/api-keys', 'POST', { label: 'bot' })
  const bot = () => scene.newBrowser().send('/v1/limits', { headers: { 'x-api-key': body.key } })
  expect(await untilRefused(bot)).toBe(true)
  expect((await member.ask(LIMITS)).status).toBe(200)
  expect(await untilRefused(() => member.ask(LIMITS))).toBe(true)
})

test('the console has a key that is not listed, does not count, and can not be changed, rotated or revoked', async () => {
  const member = await scene.signedIn('keys@example.test')
  await member.ask(LIMITS)
  const key = await scene.access.keys.findConsole(member.accountId)
  expect((await member.ask('/v1/api-keys')).body).toEqual([])
  const path = `/v1/api-keys/${key?.id}`
  const answers = [
    await member.ask(path, 'PATCH', { label: 'mine' }),
    await member.ask(`${path}/rotate`, 'POST', {}),
    await member.ask(path, 'DELETE'),
  ]
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
    Array.from({ length: 3 }, () => [404, 'key_not_found']),
  )
  // The free tier allows one key.
  expect((await member.ask('/v1/api-keys', 'POST', { label: 'bot' })).status).toBe(201)
  expect((await member.ask(LIMITS)).status).toBe(200)
})

test('pages spend at most the limit of the console, which the person changes', async () => {
  const member = await scene.signedIn('spender@example.test')
  const budget = await member.ask('/app/api/budget')
  expect(budget).toEqual({ status: 200, body: { creditLimit: 1_000, creditsThisMonth: 0, requestsPerMinute: 60 } })
  const changed = await member.ask('/app/api/budget', 'PATCH', { creditLimit: 0 })
  expect(changed.body).toMatchObject({ creditLimit: 0 })
  const refused = await member.ask('/app/api/v1/markets/0x01/snapshots')
  expect(refused.body.error).toBe('out_of_credits')
  expect((await member.ask('/app/api/budget', 'PATCH', { creditLimit: null })).body).toMatchObject({
    creditLimit: null,
  })
  for (const creditLimit of [-1, 1.5, '7', undefined]) {
    expect((await member.ask('/app/api/budget', 'PATCH', { creditLimit })).status).toBe(400)
  }
})

test('only questions are answered there: what changes keys or money is not', async () => {
  const member = await scene.signedIn('writer@example.test')
  for (const [path, method] of [
    ['/app/api/v1/api-keys', 'POST'],
    ['/app/api/v1/payments/invoices', 'POST'],
    ['/app/api/v1/limits', 'POST'],
    ['/app/api/nothing', 'GET'],
  ] as const) {
    expect([path, (await member.ask(path, method, method === 'GET' ? undefined : {})).status]).toEqual([path, 404])
  }
  const estimate = await member.browser.send('/app/api/v1/estimate', {
    method: 'POST',
    headers: { 'x-requested-with': 'bookreel', 'content-type': 'application/json', origin: 'https://other.example' },
    body: '{}',
  })
  expect(JSON.parse(estimate.text).error).toBe('cross_site_refused')
})

test('a session that was ended gets nothing more', async () => {
  const member = await scene.signedIn('leaver@example.test')
  expect((await member.ask(LIMITS)).status).toBe(200)
  await scene.access.sessions.endAll(member.accountId)
  const { status, body } = await member.ask(LIMITS)
  expect([status, body.error]).toEqual([401, 'unauthenticated'])
})

test('a node of an older version can not revoke the key of the console', async () => {
  const member = await scene.signedIn('kept@example.test')
  await sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${member.accountId}::uuid`.execute(
    scene.access.database,
  )
  expect(await scene.access.keys.findConsole(member.accountId)).toBeDefined()
})

test('pages of a signed-in person do not use up what visitors of the same address may ask', async () => {
  const anonymousBudget = new AnonymousBudget(new Registry(), { requests: { rpm: 1, burst: 10 } })
  const node = await scene.newNode({}, { anonymousBudget })
  const browser = scene.newBrowser(node)
  await browser.signIn('neighbour@example.test')
  const member = new Member(browser, '')
  for (let request = 0; request < 20; request++) expect((await member.ask(LIMITS)).status).toBe(200)
  expect((await scene.newBrowser(node).send('/v1/status')).status).toBe(200)
})

test('the use of the pages is in the usage of the account, as the key Console', async () => {
  const member = await scene.signedIn('used@example.test')
  await member.ask(LIMITS)
  await scene.access.accessControl.close()
  await scene.syncClock()
  const { body } = await member.ask('/app/api/v1/usage')
  expect(JSON.stringify(body)).toContain('"Console"')
})

test('browsers keep an answer of the pages for one session only, compressed or not', async () => {
  const member = await scene.signedIn('operator.one.of.two@example.test')
  const { accountId } = member
  for (let grant = 0; grant < 10; grant++)
    await scene.access.ledger.grant({ accountId, credits: 1, kind: 'adjustment', idem: `vary ${grant}` })
  const varyOf = async (path: string) => {
    const ours = { 'x-requested-with': 'bookreel', 'accept-encoding': 'gzip' }
    const { headers } = await member.browser.send(path, { headers: ours })
    return [headers.get('content-encoding'), headers.get('vary')?.toLowerCase()]
  }
  expect(await varyOf(LIMITS)).toEqual([null, 'cookie'])
  expect(await varyOf(`/app/api/operator/accounts/${accountId}`)).toEqual(['gzip', 'cookie, accept-encoding'])
})

import { TestService } from '@bookreel/testbed/service/test-service'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANONYMOUS_BUDGETS, AnonymousBudget } from '../../src/access/anonymous-budget.ts'
import { makeKey } from '../../src/access/key-format.ts'
import { KnownRate } from '../../src/access/known-rate.ts'

let service: TestService
beforeAll(async () => {
  service = await TestService.start()
}, 360_000)
afterAll(() => service?.[Symbol.asyncDispose]())

test('the setting and the code have the same default budget', () => {
  expect(service.config.ANONYMOUS_RPM).toBe(ANONYMOUS_BUDGETS.requests.rpm)
})

describe('an address without a valid key', () => {
  // Few a minute, so that a slow machine does not earn another one during a test.
  const FEW = { rpm: 2, burst: 5 }
  let server: FastifyInstance
  beforeAll(async () => {
    const budgets = { requests: FEW, sign_ins: FEW, callbacks: FEW }
    server = await service.newServer({ anonymousBudget: new AnonymousBudget(new Registry(), budgets) })
  })
  afterAll(() => server?.close())
  const get = (url: string, remoteAddress: string, headers: Record<string, string> = {}) =>
    server.inject({ url, remoteAddress, headers })
  const statusesOf = async (url: string, address: string, count: number): Promise<number[]> =>
    (await Promise.all(Array.from({ length: count }, () => get(url, address)))).map(({ statusCode }) => statusCode)

  test.each(['/v1/public-stats', '/v1/limits', '/docs/', '/no/such/path', '/auth/login', '/v1/payments/callbacks/x'])(
    'gets its budget of answers of %s, then 429',
    async (url) => {
      const address = `10.7.0.${url.length}`
      const statuses = await statusesOf(url, address, 30)
      expect(statuses.filter((status) => status !== 429).length).toBeLessThan(10)
      expect(statuses.slice(0, 5)).not.toContain(429)
      const refused = await get(url, address)
      expect(refused.json()).toMatchObject({ error: 'rate_limited', details: { limit: 2, remaining: 0 } })
      expect(refused.headers).toMatchObject({ 'retry-after': expect.any(String), 'ratelimit-limit': '2' })
      expect((await get(url, '10.7.1.1')).statusCode, 'another address').not.toBe(429)
    },
  )

  test('can not use up anything of customers who share it, also with keys that this node has never seen', async () => {
    const address = '10.7.2.1'
    expect(await statusesOf('/v1/limits', address, 40)).toContain(429)
    for (const url of ['/v1/limits', '/v1/public-stats', '/docs/']) {
      const key = await service.keyOf('pro', { fresh: true })
      expect((await get(url, address, { 'x-api-key': key })).statusCode, url).toBe(200)
      expect((await get(url, address, { 'x-api-key': makeKey() })).statusCode, url).toBe(429)
    }
  })

  test('is counted as one for a whole IPv6 network', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => (await get('/docs/', `2001:db8:9:9::${index + 1}`)).statusCode),
    )
    expect(statuses).toContain(429)
  })

  test('gets the budget of sign-ins however it spells their path', async () => {
    const budgets = { requests: { rpm: 1_000_000, burst: 1_000_000 }, sign_ins: FEW, callbacks: FEW }
    await using spelled = await service.newServer({ anonymousBudget: new AnonymousBudget(new Registry(), budgets) })
    for (const [index, url] of [
      '/%61uth/login',
      '/auth/%6Cogin?again=true',
      '/%61uth/callback?code=1',
      '/v1/payments/callback%73/nowpayments',
    ].entries()) {
      const method = url.startsWith('/v1') ? 'POST' : 'GET'
      const ask = () => spelled.inject({ url, method, remoteAddress: `10.7.4.${index}` })
      const statuses = await Promise.all(Array.from({ length: 20 }, ask))
      expect([url, statuses.filter(({ statusCode }) => statusCode !== 429).length < 10]).toEqual([url, true])
    }
  })

  test('has no unlimited requests below the paths of health checks', async () => {
    expect(await statusesOf('/healthy', '10.7.3.2', 30)).toContain(429)
    expect(await statusesOf('/%68ealth/live', '10.7.3.3', 30)).not.toContain(429)
  })

  test('may always ask for health', async () => {
    expect(await statusesOf('/health/live', '10.7.3.1', 30)).not.toContain(429)
  })
})

test('a valid key has a rate also where it is not needed, and its endpoints keep their own', async () => {
  await using server = await service.newServer({ knownRate: new KnownRate({ rpm: 2, burst: 5 }) })
  const [key, other] = [await service.keyOf('pro', { fresh: true }), await service.keyOf('pro', { fresh: true })]
  const ask = (url: string, given = key) => server.inject({ url, headers: { 'x-api-key': given } })
  for (const each of [key, other]) expect((await ask('/v1/limits', each)).statusCode).toBe(200)
  for (let request = 0; request < 30; request++) await ask('/v1/public-stats')
  for (const url of ['/v1/public-stats', '/v1/samples', '/docs/', '/no/such/path', '/auth/session', '/v1/user/tier']) {
    const refused = await ask(url)
    expect([url, refused.statusCode, refused.json().error]).toEqual([url, 429, 'rate_limited'])
    expect(refused.headers['retry-after']).toBeDefined()
  }
  expect((await ask('/v1/limits')).statusCode).toBe(200)
  expect((await ask('/v1/public-stats', other)).statusCode).toBe(200)
})

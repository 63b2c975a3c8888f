import { type AddressInfo, connect } from 'node:net'
import { type Answered, TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKey } from '../../src/access/key-format.ts'

let service: TestService

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
})

afterAll(() => service?.[Symbol.asyncDispose]())

describe('request handling', () => {
  test('a request without a key is refused before anything else is checked', async () => {
    const answer = await service.ask('/v1/categories?nonsense=1')
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ error: 'unauthenticated', status: 401 })
    expect(answer.body.request_id).toBe(answer.headers['x-request-id'])
  })

  test.each([
    ['no key', {}, 'missing_key', 'Bearer realm="bookreel"'],
    ['a variable that is not set', { 'x-api-key': '' }, 'missing_key', 'Bearer realm="bookreel"'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'unsupported_scheme', 'Bearer realm="bookreel"'],
    ['a malformed key', { 'x-api-key': 'br_live_nonsense' }, 'malformed_key', /^Bearer .*error="invalid_token"/],
    ['a malformed token', { authorization: 'Bearer nonsense' }, 'malformed_key', /^Bearer .*error="invalid_token"/],
    ['an unknown key', { 'x-api-key': makeKey() }, 'unknown_key', /^Bearer .*error="invalid_token"/],
    ['an unknown token', { authorization: `Bearer ${makeKey()}` }, 'unknown_key', /^Bearer .*error="invalid_token"/],
  ])('%s: 401 says what is wrong, names the headers and has a challenge', async (_, headers, reason, challenge) => {
    const answer = await service.ask('/v1/categories', { headers })
    expect([answer.status, answer.body.error, answer.body.details]).toEqual([401, 'unauthenticated', { reason }])
    expect(answer.body.message).toContain('"X-API-Key: <key>" or "Authorization: Bearer <key>"')
    expect(answer.headers['www-authenticate']).toMatch(challenge)
  })

  test('a key is accepted as a Bearer token; X-API-Key decides when both are sent', async () => {
    const [pro, scale] = [await service.keyOf('pro'), await service.keyOf('scale')]
    const tierOf = async (headers: Record<string, string>) =>
      (await service.ask('/v1/limits', { headers })).body.tier as string
    expect(await tierOf({ authorization: `Bearer ${pro}` })).toBe('pro')
    expect(await tierOf({ authorization: `Bearer ${pro}`, 'x-api-key': scale })).toBe('scale')
    expect(await tierOf({ authorization: 'Basic YTpi', 'x-api-key': scale })).toBe('scale')
    const csv = await service.ask('/v1/payments/packs?format=csv', { headers: { authorization: `Bearer ${scale}` } })
    expect(csv.status).toBe(200)
    const preflight = await service.server.inject({ method: 'OPTIONS', url: '/v1/limits' })
    expect(preflight.headers['access-control-allow-headers']).toBe('*, Authorization')
  })

  test('a request over the rate limit has the headers of a 200, and one waiting time', async () => {
    const key = await service.keyOf('free', { fresh: true })
    // More requests at once than the rate limit allows: some are refused on a machine of any speed.
    const answers = await Promise.all(Array.from({ length: 150 }, () => service.ask('/v1/limits', { key })))
    const allowed = answers.find(({ status }) => status === 200)
    const refused = answers.find(({ status }) => status === 429)
    const rateNames = ({ headers }: Answered) =>
      Object.keys(headers)
        .filter((name) => name.includes('ratelimit'))
        .toSorted()
    if (allowed === undefined || refused === undefined) throw new Error('no request was refused')
    expect(rateNames(refused)).toEqual(rateNames(allowed))
    const seconds = refused.headers['retry-after']
    expect(refused.headers).toMatchObject({
      'ratelimit-limit': '60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    })
    expect(refused.body.details).toEqual({ limit: 60, remaining: 0, reset_seconds: Number(seconds) })
  })

  test('an unknown parameter is refused with the list of allowed ones', async () => {
    const answer = await service.ask('/v1/categories?nonsense=1', { key: await service.keyOf('free') })
    expect(answer.status).toBe(400)
    expect(answer.body.details).toEqual({
      unknown_parameters: ['nonsense'],
      allowed_parameters: ['venue', 'format', 'spreadsheet_safe'],
    })
  })

  test('a list of categories, with the rate limit in headers', async () => {
    const answer = await service.ask('/v1/categories', { key: await service.keyOf('pro') })
    expect(answer.status).toBe(200)
    expect(answer.body).toHaveLength(6)
    expect(answer.body[0]).toMatchObject({ id: 'crypto', captureIntervalMs: 250 })
    expect(answer.body[0].activeMarkets).toBe(12)
    expect(answer.headers).toMatchObject({
      'ratelimit-limit': '300',
      'x-ratelimit-limit': '300',
      'x-credits-cost': '0',
    })
  })

  test.each([
    ['unknown parameter', '/v1/categories?nonsense=1', 400],
    ['format of another tier', '/v1/categories?format=csv', 403],
    ['unknown market', `/v1/markets/0x${'0'.repeat(64)}/orderbook`, 404],
  ])(
    '%s: a refused request with a key counts for its rate limit, and has the rate limit headers',
    async (_, path, status) => {
      const answer = await service.ask(path, { key: await service.keyOf('pro', { fresh: true }) })
      expect(answer.status).toBe(status)
      expect(answer.headers).toMatchObject({ 'ratelimit-limit': '300', 'ratelimit-remaining': '299' })
    },
  )

  test('flat files need an upper tier', async () => {
    expect((await service.ask('/v1/categories?format=csv', { key: await service.keyOf('pro') })).status).toBe(403)
    const csv = await service.ask('/v1/categories?format=csv', { key: await service.keyOf('scale') })
    expect(csv.text.split('\n')[0]).toBe('id,category,displayName,activeMarkets,captureIntervalMs,refreshIntervalMs')
    expect(csv.headers['x-row-count']).toBe('6')
  })

  test('both live books of a market', async () => {
    const { id } = service.world.hot
    const answer = await service.ask(`/v1/markets/${id}/orderbook`, { key: await service.keyOf('free') })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject({ market_id: id, stale: false, up: { outcomeIndex: 0 } })
    expect(answer.body.up.bids.length + answer.body.up.asks.length).toBeGreaterThan(0)
  })

  test('a method that is not served is refused with the list of allowed ones', async () => {
    const answer = await service.ask('/v1/categories', { method: 'POST' })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('GET')
  })

  test('the API documentation is public', async () => {
    const { body } = await service.ask('/openapi.json')
    expect(body.openapi).toBe('3.1.0')
    expect(Object.keys(body.paths)).toContain('/v1/markets/{id}/orderbook')
  })

  test.each([
    ['a NUL in a slug', '/v1/markets/by-slug/btc%00.json', 404, 'not_found'],
    ['a control character in a filter', '/v1/markets/live?subcategory=N%0ABA', 400, 'invalid_request'],
    ['a name longer than any', `/v1/markets/${'x'.repeat(500)}/orderbook`, 404, 'not_found'],
    ['a percent sign without digits', '/v1/markets/by-slug/%zz', 400, 'invalid_request'],
  ])('%s is refused in the shape of every error', async (_, path, status, error) => {
    const answer = await service.ask(path, { key: await service.keyOf('pro') })
    expect(answer.body).toMatchObject({ error, status })
    expect(answer.status).toBe(status)
    expect(answer.body.request_id).toBe(answer.headers['x-request-id'])
  })

  test('a public response as a flat file needs a key of an upper tier', async () => {
    const path = '/v1/payments/packs?format=csv'
    const statusOf = async (key?: string): Promise<number> => (await service.ask(path, { key })).status
    expect(await statusOf()).toBe(403)
    expect(await statusOf(await service.keyOf('pro'))).toBe(403)
    expect(await statusOf(await service.keyOf('scale'))).toBe(200)
    expect(await statusOf('br_live_nonsense')).toBe(401)
  })

  test('bytes that are not HTTP get an error response before the connection is closed', async () => {
    await service.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = service.server.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1').end('no http at all\r\n\r\n')
    const text = Buffer.concat(await Array.fromAsync<Buffer>(socket)).toString()
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: 'invalid_request', status: 400 })
  })
})

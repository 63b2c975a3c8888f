import { type AddressInfo, connect } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import { TestService } from '@bookreel/testbed/service/test-service'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { issueKey } from '../../src/access/issue-key.ts'
import { makeKey } from '../../src/access/key-format.ts'
import { endpoint } from '../../src/endpoints/endpoint.ts'

/** Credits of a new account. */
const FREE_CREDITS = 5_000

let service: TestService

beforeAll(async () => {
  service = await TestService.start({ world: 'frozen' })
})

afterAll(() => service?.[Symbol.asyncDispose]())

describe('request handling', () => {
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

  test('bytes that are not HTTP get an error response before the connection is closed', async () => {
    await service.server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = service.server.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1').end('no http at all\r\n\r\n')
    const text = Buffer.concat(await Array.fromAsync<Buffer>(socket)).toString()
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: 'invalid_request', status: 400 })
  })
})

describe('limits of a key', () => {
  test('show the tier, the rate and the credits, and are free', async () => {
    const key = await service.keyOf('pro', { fresh: true, credits: 77, scopes: ['stream'] })
    const first = await service.ask('/v1/limits', { key })
    expect(first.headers['x-credits-cost']).toBe('0')
    expect(first.body).toMatchObject({
      tier: 'pro',
      label: 'test',
      rpm: 300,
      rateUsed: 1,
      rateRemaining: 299,
      creditsRemaining: FREE_CREDITS + 77,
      creditsPerMonth: 50_000,
      keyCreditsRemaining: null,
      historyHours: 0,
      formats: ['json'],
      maxKeys: 5,
      wsMax: 1,
      mcp: 'full',
      freeBooksPerDay: 5_000,
      freeBooksLeft: 5_000,
      booksPerCredit: 50,
    })
    expect(first.body.rateRemaining).toBe(Number(first.headers['ratelimit-remaining']))
  })

  test('show what is left of the limit of the key itself', async () => {
    const { access } = service
    const { id } = await access.accounts.create('capped')
    await access.accounts.setTier(id, { tier: 'scale', monthlyCredits: 0 })
    const { key } = await issueKey(access, { accountId: id, label: 'capped', creditLimit: 40 })
    expect((await service.ask(`/v1/markets/${service.world.hot.id}/snapshots?limit=1`, { key })).status).toBe(200)
    const { body } = await service.ask('/v1/limits', { key })
    expect(body).toMatchObject({ creditsRemaining: FREE_CREDITS - 10, keyCreditsRemaining: 30 })
    expect(body.formats).toEqual(['json', 'csv', 'tsv', 'parquet'])
  })

  test('a key is validated whatever its scopes', async () => {
    const key = await service.keyOf('free', { fresh: true, credits: 5, scopes: ['mcp'] })
    const { body } = await service.ask('/v1/api-keys/validate', { key })
    expect(body).toMatchObject({ valid: true, tier: 'free', creditsRemaining: FREE_CREDITS + 5 })
  })
})

test('lists of markets that wait for PostgreSQL delay no key check and no charge', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => service.keyOf('scale', { fresh: true })))
  const fresh = await service.keyOf('scale', { fresh: true })
  const [lists, checked] = await service.access.database.transaction().execute(async (transaction) => {
    await sql`LOCK TABLE markets IN ACCESS EXCLUSIVE MODE`.execute(transaction)
    // More than the connections of either pool, within the concurrency limit of each account.
    const asked = keys.flatMap((key) =>
      Array.from({ length: 4 }, () => service.ask('/v1/markets/live?status=expired&limit=1', { key })),
    )
    const waiting = async (): Promise<number> => {
      const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE wait_event_type = 'Lock'`.execute(service.access.database)
      return rows[0]?.count ?? 0
    }
    await expect.poll(waiting).toBeGreaterThanOrEqual(5)
    const answer = await Promise.race([service.ask('/v1/limits', { key: fresh }), after(10_000, 'too late')])
    return [Promise.all(asked), answer] as const
  })
  expect(checked).toMatchObject({ status: 200 })
  for (const { status } of await lists) expect([200, 503]).toContain(status)
})

test('a wider distance never has less depth, and both tokens mirror each other', async () => {
  const { id } = service.world.live5m
  const key = await service.keyOf('pro')
  const sizes: number[] = []
  for (const within of [0.01, 0.05, 0.5]) {
    const { body } = await service.ask(`/v1/markets/${id}/depth?within=${within}`, { key })
    expect(body).toMatchObject({ market_id: id, within, stale: false })
    const [up, down] = body.tokens
    expect([up.side, down.side, down.bid_size, down.ask_size]).toEqual(['UP', 'DOWN', up.ask_size, up.bid_size])
    expect(up.imbalance + down.imbalance).toBeCloseTo(0, 9)
    expect(up.microprice + down.microprice).toBeCloseTo(1, 9)
    sizes.push(up.bid_size + up.ask_size)
  }
  expect(sizes).toEqual(sizes.toSorted((one, other) => one - other))
  expect(sizes.at(-1)).toBeGreaterThan(0)
})

test('the price that a window must beat is the one that the venue states, in the answers about the market', async () => {
  const { world } = service
  const key = await service.keyOf('pro')
  const ask = async (path: string) => (await service.ask(path, { key })).body
  const { live5m, next5m } = world
  for (const path of [`/v1/markets/by-slug/${live5m.slug}`, `/v1/markets/${live5m.id}/summary`]) {
    const answer = await ask(path)
    expect(answer).toMatchObject({
      price_to_beat: expect.closeTo(83_897.297488, 6),
      price_to_beat_source: 'polymarket',
      price_to_beat_at: '2026-10-14T12:00:00.000Z',
    })
    expect(answer).not.toHaveProperty('settlement_price')
  }
  for (const { slug } of [next5m, world.longLived('sports')])
    expect(await ask(`/v1/markets/by-slug/${slug}`)).not.toHaveProperty('price_to_beat')
})

const SECRET = 'br_live_of-somebody'

const common = {
  method: 'GET',
  group: 'Public',
  summary: 'Fail',
  access: 'public',
  params: z.object({ secret: z.string() }),
  query: z.object({ q: z.string().optional() }),
  reply: z.object({}),
  errors: [],
} as const

const failing = endpoint({
  ...common,
  path: '/v1/failing/{secret}',
  name: 'failing',
  async handle() {
    throw new Error('broken')
  },
})

const shortFile = endpoint({
  ...common,
  path: '/v1/short-file/{secret}',
  name: 'short_file',
  async file() {
    const open = async (): Promise<Readable> => Readable.from([Buffer.from('too short')])
    const file = { name: 'f', type: 'text/plain', sha256: 'a', revision: 1, bytes: 100, open }
    return { file, heldAs: 'f' }
  },
  async handle() {
    return { body: {} }
  },
})

test('failures are logged with the template of the path, never with what callers put into it', async () => {
  let logged = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk)
      done()
    },
  })
  await using server = await service.newServer({ log: pino(stream), endpoints: [failing, shortFile] })
  for (const name of ['failing', 'short-file'])
    await server.inject({ url: `/v1/${name}/${SECRET}?q=${SECRET}` }).catch(() => {})
  await vi.waitFor(() => expect(logged).toContain('answer broken off'), { timeout: 120_000 })
  const lines = logged
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ path }) => path)).toEqual(['/v1/failing/:secret', '/v1/short-file/:secret'])
  expect(logged).not.toContain(SECRET)
})

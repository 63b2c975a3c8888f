import { once } from 'node:events'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { apiRole } from '../../src/roles/api-role.ts'
import { gatewayRole } from '../../src/roles/gateway-role.ts'
import { probeApi } from '../../src/workers/probe-api.ts'
import { type RunningApi, startApi, startRole } from './running-role.ts'

const FORWARDED = { 'x-forwarded-proto': 'https' }
const TOOLS = {
  method: 'POST',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
} as const
const MCP_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

let service: TestService
let key: string
/** Behind a proxy on this machine. */
let trusting: RunningApi
/** With a proxy on another machine, so that requests of this test come from strangers. */
let strict: RunningApi

beforeAll(async () => {
  service = await TestService.start()
  key = await service.keyOf('scale')
  trusting = await startApi(service, { TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'https://data.example.com' })
  strict = await startApi(service, { TRUSTED_PROXIES: '10.9.9.0/24' })
}, 360_000)

afterAll(async () => {
  await Promise.all([trusting?.stop(), strict?.stop()])
  await service?.[Symbol.asyncDispose]()
})

function ask({ url }: RunningApi, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(new URL(path, url), { redirect: 'manual', ...init })
}

async function codeOf(answer: Response): Promise<[number, string]> {
  return [answer.status, ((await answer.json()) as { error: string }).error]
}

test('through a trusted proxy with TLS, everything is served', async () => {
  const headers = { ...FORWARDED, 'x-api-key': key }
  const answer = await ask(trusting, '/v1/limits', { headers })
  expect([answer.status, answer.headers.get('strict-transport-security')]).toEqual([
    200,
    expect.stringMatching(/^max-age=/),
  ])
  const tools = await ask(trusting, '/mcp', { ...TOOLS, headers: { ...headers, ...MCP_HEADERS } })
  expect(tools.status, await tools.text()).toBe(200)
  const socket = new WebSocket(`${trusting.url.replace('http', 'ws')}/v1/stream`, { headers })
  await once(socket, 'open')
  socket.terminate()
})

test.each([
  ['directly', () => trusting, {}],
  ['through a trusted proxy without TLS', () => trusting, { 'x-forwarded-proto': 'http' }],
  ['with a header of a stranger', () => strict, FORWARDED],
] as const)('a key that is sent %s is refused on every transport', async (_, api, forwarded) => {
  const headers = { ...forwarded, 'x-api-key': key }
  const refused: [number, string] = [403, 'https_required']
  for (const secret of [headers, { authorization: `Bearer ${key}` }, { cookie: '__Host-bookreel=x' }])
    expect(await codeOf(await ask(api(), '/v1/limits', { headers: { ...forwarded, ...secret } }))).toEqual(refused)
  expect(await codeOf(await ask(api(), '/health', { headers }))).toEqual(refused)
  expect(await codeOf(await ask(api(), '/mcp', { ...TOOLS, headers: { ...headers, ...MCP_HEADERS } }))).toEqual(refused)
  const socket = new WebSocket(`${api().url.replace('http', 'ws')}/v1/stream`, { headers })
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  expect(response.statusCode).toBe(403)
})

test('a request without a key is redirected to the public address; one with a body is refused', async () => {
  for (const path of ['/v1/public-stats', '/app', '/auth/login?to=%2Fapp', '/docs/']) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask(trusting, path, { method })
      expect([status, headers.get('location')]).toEqual([308, `https://data.example.com${path}`])
      expect(headers.get('cache-control')).toBe('no-store')
    }
    // Without a public address there is nothing to redirect to: anyone can send any Host.
    expect(await codeOf(await ask(strict, path))).toEqual([403, 'https_required'])
  }
  for (const api of [trusting, strict])
    expect(await codeOf(await ask(api, '/mcp', { ...TOOLS, headers: MCP_HEADERS }))).toEqual([403, 'https_required'])
})

test('health checks and the prober work over plain HTTP', async () => {
  for (const api of [trusting, strict]) {
    for (const path of ['/health', '/health/live', '/health/ready']) {
      expect((await ask(api, path)).status, path).not.toBe(308)
    }
    await vi.waitFor(
      async () => expect(await probeApi(api.url, new AbortController().signal)).toMatchObject({ api: 'ok' }),
      { timeout: 120_000, interval: 200 },
    )
  }
})

test('REQUIRE_HTTPS=false allows plain HTTP in production', async () => {
  const plain = await startApi(service, { REQUIRE_HTTPS: 'false' })
  const { status, headers } = await ask(plain, '/v1/public-stats')
  expect([status, headers.get('strict-transport-security')]).toEqual([200, null])
  await plain.stop()
})

test('the log says whether HTTPS is required, and no role starts when no request could arrive', async () => {
  expect(strict.lines).toContainEqual(expect.objectContaining({ msg: 'HTTP server listening', isHttpsRequired: true }))
  for (const role of [apiRole, gatewayRole]) {
    await expect(startRole(service, role, {}).stop()).rejects.toThrow('Set TRUSTED_PROXIES')
  }
})

test('no role that callers connect to starts as a superuser of PostgreSQL', async () => {
  const owner = { DATABASE_URL: service.stack.variable('DATABASE_URL'), TRUSTED_PROXIES: '127.0.0.1' }
  for (const role of [apiRole, gatewayRole])
    await expect(startRole(service, role, owner).stop()).rejects.toThrow(
      /superuser of PostgreSQL.*bookreel-server logins write FOLDER --apply/,
    )
})

import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { readConfig } from '../../../src/config.ts'
import { endpoints } from '../../../src/endpoints/index.ts'
import type { ContractScene } from '../clause.ts'
import { type Check, type Clause, clause } from '../clause.ts'

type Options = Parameters<ContractScene['service']['newServer']>[0]
type Wanted = Readonly<Record<string, string>>

const PROXY = '10.9.0.1'
const STRANGER = '10.8.0.1'
const FORWARDED = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }

async function withServer(scene: ContractScene, options: Options, use: (server: FastifyInstance) => Promise<void>) {
  const server = await scene.service.newServer(options)
  try {
    await use(server)
  } finally {
    await server.close()
  }
}

/** A server as `bookreel-server run api` makes it from these settings. */
function inProduction(settings: Wanted, use: (server: FastifyInstance, scene: ContractScene) => Promise<void>): Check {
  return (_, scene) => {
    const config = readConfig({ ...scene.service.stack.variables, NODE_ENV: 'production', ...settings })
    const options = { isHttpsRequired: config.REQUIRE_HTTPS, trustedProxies: config.TRUSTED_PROXIES ?? [] }
    return withServer(scene, { ...options, publicUrl: config.PUBLIC_URL }, (server) => use(server, scene))
  }
}

const TRUSTING = { TRUSTED_PROXIES: PROXY, PUBLIC_URL: 'https://data.example.com' }

const plainHttp = inProduction(TRUSTING, async (server, { service }) => {
  const key = await service.keyOf('pro')
  for (const method of ['GET', 'HEAD'] as const) {
    const { statusCode, headers } = await server.inject({ method, url: '/v1/public-stats?format=json' })
    assert.deepEqual(
      [statusCode, headers.location, headers['cache-control']],
      [308, 'https://data.example.com/v1/public-stats?format=json', 'no-store'],
    )
  }
  const secrets: Wanted[] = [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }, { cookie: '__Host-bookreel=x' }]
  for (const headers of secrets) {
    const { statusCode, json } = await server.inject({ url: '/v1/categories', headers })
    assert.deepEqual([statusCode, json().error], [403, 'https_required'])
  }
  const posted = await server.inject({ method: 'POST', url: '/v1/api-keys', payload: {} })
  assert.deepEqual([posted.statusCode, posted.json().error], [403, 'https_required'])
})

const proxies = inProduction(TRUSTING, async (server, { service }) => {
  const headers = { ...FORWARDED, 'x-api-key': await service.keyOf('pro') }
  const through = await server.inject({ url: '/v1/categories', headers, remoteAddress: PROXY })
  assert.equal(through.statusCode, 200, through.body)
  assert.match(String(through.headers['strict-transport-security']), /^max-age=31536000/)
  const claimed = await server.inject({ url: '/v1/categories', headers, remoteAddress: STRANGER })
  assert.deepEqual([claimed.statusCode, claimed.json().error], [403, 'https_required'])
  const plain = { ...headers, 'x-forwarded-proto': 'http' }
  const unencrypted = await server.inject({ url: '/v1/categories', headers: plain, remoteAddress: PROXY })
  assert.equal(unencrypted.json().error, 'https_required')
})

const healthChecks = inProduction(TRUSTING, async (server) => {
  for (const url of ['/health', '/health/live', '/health/ready']) {
    const { statusCode, json } = await server.inject({ url })
    assert.ok(statusCode === 200 || statusCode === 503, `${url} is ${statusCode}`)
    assert.ok('status' in json(), url)
  }
  assert.equal((await server.inject({ url: '/healthy' })).statusCode, 308)
})

const switchedOff = inProduction({ REQUIRE_HTTPS: 'false' }, async (server) => {
  const { statusCode, headers } = await server.inject({ url: '/v1/public-stats' })
  assert.deepEqual([statusCode, headers['strict-transport-security']], [200, undefined])
})

const deprecated: Check = (_, scene) => {
  const changed = endpoints.map((endpoint) => {
    if (endpoint.path === '/v1/categories')
      return { ...endpoint, deprecated: { since: '2026-11-01', sunset: '2027-05-01', replacement: '/v2/categories' } }
    if (endpoint.path !== '/v1/markets/{id}/orderbook') return endpoint
    return { ...endpoint, deprecated: { since: '2026-11-01', sunset: '2027-05-01', replacement: '/v2/books/{id}' } }
  })
  return withServer(scene, { endpoints: changed }, async (server) => {
    const headers = { 'x-api-key': await scene.service.keyOf('pro') }
    const announced = (link: string) => ['@1793491200', 'Sat, 01 May 2027 00:00:00 GMT', link]
    for (const [url, status, link] of [
      ['/v1/categories', 200, '</v2/categories>; rel="successor-version"'],
      ['/v1/categories?nonsense=1', 400, '</v2/categories>; rel="successor-version"'],
      ['/v1/markets/0xab/orderbook', 404, '</v2/books/0xab>; rel="successor-version"'],
    ] as const) {
      const answer = await server.inject({ url, headers })
      assert.equal(answer.statusCode, status)
      const { deprecation, sunset, link: given } = answer.headers
      assert.deepEqual([deprecation, sunset, given], announced(link), url)
    }
    const other = await server.inject({ url: '/v1/limits', headers })
    assert.deepEqual([other.headers.deprecation, other.headers.sunset], [undefined, undefined])
    const { paths } = (await server.inject({ url: '/openapi.json' })).json()
    const { deprecated: isDeprecated, description, responses } = paths['/v1/categories'].get
    assert.equal(isDeprecated, true)
    assert.match(description, /^Deprecated since 2026-11-01; it ends on 2027-05-01\. Use `\/v2\/categories` instead\./)
    for (const status of ['200', '400']) assert.ok('Sunset' in responses[status].headers)
    assert.equal(paths['/v1/limits'].get.deprecated, undefined)
  })
}

const categories = (check: Check) => [{ as: 'pro' as const, request: '/v1/categories', check }]

export const transportClauses: readonly Clause[] = [
  clause(
    '0',
    'In production a request over plain HTTP is redirected, and one with a key, a session or a body is refused.',
    categories(plainHttp),
  ),
  clause('0', 'Only trusted proxies can say that a request was encrypted.', categories(proxies)),
  clause('0', 'Health checks are answered over plain HTTP too.', categories(healthChecks)),
  clause('0', 'REQUIRE_HTTPS=false allows plain HTTP in production.', categories(switchedOff)),
  clause(
    '9',
    'An endpoint that is described as deprecated says so in every answer and in the document, with its end and its successor.',
    categories(deprecated),
  ),
]

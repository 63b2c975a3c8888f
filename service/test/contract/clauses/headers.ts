import assert from 'node:assert/strict'
import { ApiError } from '../../../src/domain/api-error.ts'
import { endpoints } from '../../../src/endpoints/index.ts'
import { ASKED_ENDPOINTS } from '../asked-endpoints.ts'
import { assertKeyHeaders } from '../checks.ts'
import { type Check, type Clause, clause } from '../clause.ts'

const KEYED = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody')

/** A second server whose catalogue fails. */
function failsLike(error: Error, status: number): Check {
  return async (_, { service, nowMs }) => {
    const fail = (): never => {
      throw error
    }
    const catalogue = { refreshedAtMs: nowMs, list: fail }
    const stores = { ...service.stores, catalogue } as unknown as typeof service.stores
    const server = await service.newServer({ pipeline: { stores } })
    const headers = { 'x-api-key': await service.keyOf('pro') }
    const answer = await server.inject({ url: '/v1/markets/live', headers })
    await server.close()
    assert.equal(answer.statusCode, status, answer.body)
    assertKeyHeaders({ headers: answer.headers as Record<string, string> }, 'pro')
    assert.deepEqual([answer.headers['x-credits-cost'], answer.json().status], ['0', status])
  }
}

const isAnnounced: Check = async (_, { service }) => {
  const changed = endpoints.map((endpoint) => {
    if (endpoint.path === '/v1/categories')
      return { ...endpoint, deprecated: { since: '2026-11-01', sunset: '2027-05-01', replacement: '/v2/categories' } }
    if (endpoint.path !== '/v1/markets/{id}/orderbook') return endpoint
    return { ...endpoint, deprecated: { since: '2026-11-01', sunset: '2027-05-01', replacement: '/v2/books/{id}' } }
  })
  await using server = await service.newServer({ endpoints: changed })
  const headers = { 'x-api-key': await service.keyOf('pro') }
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
}

export const headerClauses: readonly Clause[] = [
  clause('8', 'Errors of the service have the same headers and are free.', [
    { as: 'pro', request: '/v1/markets/live?limit=1', check: failsLike(new Error('a defect'), 500) },
    {
      as: 'pro',
      request: '/v1/markets/live?limit=2',
      check: failsLike(new ApiError('store_unavailable', 'away'), 503),
    },
  ]),
  clause('9', 'A deprecated endpoint says so in every answer and in the document, with its end and its successor.', [
    { as: 'pro', request: '/v1/categories', check: isAnnounced },
  ]),
  clause('added', 'The headers of answers to a key are published for every status.', [
    {
      as: 'nobody',
      request: '/openapi.json',
      check: ({ body }) => {
        for (const { path } of KEYED) {
          for (const [status, { headers = {} }] of Object.entries<{ headers?: object }>(
            body.paths[path].get.responses,
          )) {
            if (['401', '206', '304'].includes(status)) continue
            for (const name of ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'])
              assert.ok(name in headers, `${path} ${status} ${name}`)
            assert.ok('X-Credits-Cost' in headers, `${path} ${status}`)
          }
        }
      },
    },
  ]),
]

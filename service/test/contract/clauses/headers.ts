import assert from 'node:assert/strict'
import { ApiError } from '../../../src/domain/api-error.ts'
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

export const headerClauses: readonly Clause[] = [
  clause('8', 'A request that can not be paid is free and says what is left.', [
    {
      as: 'no credits',
      request: '/v1/markets/{live}/snapshots',
      status: 402,
      error: 'out_of_credits',
      check: ({ headers, body }) => {
        assert.equal(headers['x-credits-remaining'], String(body.details.credits_remaining))
        assert.equal(body.details.credits_remaining, 0)
      },
    },
  ]),
  clause('8', 'Errors of the service have the same headers and are free.', [
    { as: 'pro', request: '/v1/markets/live?limit=1', check: failsLike(new Error('a defect'), 500) },
    {
      as: 'pro',
      request: '/v1/markets/live?limit=2',
      check: failsLike(new ApiError('store_unavailable', 'away'), 503),
    },
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

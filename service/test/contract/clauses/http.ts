import assert from 'node:assert/strict'
import { hasHeaders } from '../checks.ts'
import { type Clause, clause } from '../clause.ts'

/** Every path of the interface with its methods. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  '/health': ['get'],
  '/v1/public-stats': ['get'],
  '/v1/status': ['get'],
  '/v1/payments/packs': ['get'],
  '/v1/categories': ['get'],
  '/v1/markets/live': ['get'],
  '/v1/markets/by-slug/{slug}': ['get'],
  '/v1/markets/by-slug/{slug}/orderbook': ['get'],
  '/v1/markets/{id}/orderbook': ['get'],
  '/v1/markets/{id}/summary': ['get'],
  '/v1/markets/history/recent': ['get'],
  '/v1/markets/history': ['get'],
  '/v1/markets/{id}/snapshots': ['get'],
  '/api/snapshot': ['get'],
  '/api/snapshot/latest': ['get'],
  '/api/debug': ['get'],
  '/v1/stats': ['get'],
  '/v1/exchange/orderbook': ['get'],
  '/v1/exchange/snapshots': ['get'],
  '/v1/api-keys': ['get', 'post'],
  '/v1/api-keys/{key_id}': ['delete', 'patch'],
  '/v1/api-keys/validate': ['get'],
  '/v1/user/tier': ['get'],
  '/v1/payments/subscription': ['get'],
  '/v1/payments/create-invoice': ['post'],
}
/** Parameters that the interface lists for its endpoints, beside `format`. */
const PARAMETERS: Readonly<Record<string, string>> = {
  '/v1/markets/live': 'category subcategory crypto timeframe limit offset',
  '/v1/markets/history': 'crypto timeframe category subcategory',
  '/v1/markets/{id}/snapshots': 'id from to limit side',
  '/api/snapshot': 'timestamp marketId includebook',
  '/api/snapshot/latest': 'crypto timeframe includebook',
  '/v1/exchange/orderbook': 'symbol exchange',
  '/v1/exchange/snapshots': 'symbol from to limit',
}
/** Statuses that the interface declares for certain endpoints. */
const DECLARED: readonly (readonly [status: string, path: string])[] = [
  ['402', '/v1/markets/{id}/snapshots'],
  ['403', '/v1/exchange/orderbook'],
  ['404', '/v1/exchange/orderbook'],
  ['404', '/v1/markets/by-slug/{slug}'],
  ['404', '/v1/markets/by-slug/{slug}/orderbook'],
  ['404', '/v1/markets/{id}/orderbook'],
  ['429', '/v1/categories'],
  ['429', '/v1/markets/live'],
]
const PUBLIC = ['/health', '/v1/public-stats', '/v1/status', '/v1/payments/packs']

export const httpClauses: readonly Clause[] = [
  clause('9', 'Every path of the interface is published with its methods and parameters.', [
    {
      as: 'nobody',
      request: '/openapi.json',
      check: ({ body }) => {
        assert.deepEqual(body.servers, [{ url: '/' }])
        const methods = Object.keys(PATHS).map((path) => [path, Object.keys(body.paths[path] ?? {}).toSorted()])
        assert.deepEqual(Object.fromEntries(methods), PATHS)
        for (const [path, names] of Object.entries(PARAMETERS)) {
          const published = body.paths[path].get.parameters.map(({ name }: { name: string }) => name)
          assert.deepEqual(
            [...names.split(' '), 'format'].filter((name) => !published.includes(name)),
            [],
            path,
          )
        }
      },
    },
  ]),
  clause('7', 'The statuses of part 7 are published for their endpoints.', [
    {
      as: 'nobody',
      request: '/openapi.json',
      check: ({ body }) => {
        for (const [status, path] of DECLARED) assert.ok(status in body.paths[path].get.responses, `${status} ${path}`)
        for (const path of Object.keys(PATHS)) {
          for (const { responses } of Object.values<{ responses: object }>(body.paths[path])) {
            assert.ok('500' in responses && (PUBLIC.includes(path) || '401' in responses), path)
          }
        }
      },
    },
  ]),
  clause('4.2', 'HEAD is answered like GET, without a body and without a charge.', [
    ...['/v1/categories', '/v1/markets/{closed}/snapshots?limit=2'].map((request) => ({
      as: 'own account' as const,
      request,
      check: async (_: unknown, scene: Parameters<Clause['cases'][0]['check']>[1]) => {
        const remaining = async (): Promise<number> =>
          (await scene.ask('own account', '/v1/api-keys/validate')).body.creditsRemaining
        const before = await remaining()
        const { status, text, headers } = await scene.ask('own account', request, { method: 'HEAD' })
        assert.deepEqual([status, text, headers['content-type']], [200, '', 'application/json; charset=utf-8'])
        assert.equal(await remaining(), before)
      },
    })),
  ]),
  clause('added', 'Pages of other sites may read answers to a key, but can not use a session.', [
    ...(['pro', 'member'] as const).map((as) => ({
      as,
      request: as === 'pro' ? '/v1/categories' : '/v1/user/tier',
      headers: { origin: 'https://elsewhere.example' },
      check: hasHeaders({ 'access-control-allow-origin': '*', 'access-control-allow-credentials': /^$/ }),
    })),
    {
      as: 'nobody',
      request: '/health',
      check: async (_, scene) => {
        const { headers } = await scene.ask('nobody', '/v1/limits', { method: 'OPTIONS' })
        assert.equal(headers['access-control-allow-headers'], '*, Authorization')
      },
    },
  ]),
]

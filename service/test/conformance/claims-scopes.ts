import assert from 'node:assert/strict'
import type { Scope } from '../../src/domain/scope.ts'
import { endpoints } from '../../src/endpoints/index.ts'
import { ASKED_ENDPOINTS } from './asked-endpoints.ts'
import { type Check, type Claim, claim } from './claim.ts'
import type { ClaimScene } from './claim-scene.ts'

const EXECUTION = '/v1/markets/{live}/execution?side=UP&action=buy&size=5'
const PAST = '/v1/markets/{closed}/execution?side=UP&action=buy&size=5&timestamp={row.7}'

/** The scope that each path of the interface needs; the others need none or are not for keys. */
const SCOPES: Readonly<Record<string, Scope>> = {
  '/v1/categories': 'live',
  '/v1/markets/live': 'live',
  '/v1/markets/by-slug/{slug}': 'live',
  '/v1/markets/by-slug/{slug}/orderbook': 'live',
  '/v1/markets/{id}/orderbook': 'live',
  '/v1/markets/{id}/summary': 'history',
  '/v1/markets/history/recent': 'history',
  '/v1/markets/history': 'history',
  '/v1/markets/{id}/snapshots': 'history',
  '/api/snapshot': 'history',
  '/api/snapshot/latest': 'live',
  '/v1/exchange/snapshots': 'history',
}

async function askWith(scene: ClaimScene, scope: Scope, request: string) {
  const key = await scene.service.keyOf('pro', { scopes: [scope] })
  return scene.ask('nobody', request, { headers: { 'x-api-key': key } })
}

function needs(scope: Scope, request: string): Check {
  return async (_, scene) => {
    const other = scope === 'live' ? 'history' : 'live'
    const { status, body } = await askWith(scene, other, request)
    assert.deepEqual([status, body.error, body.details?.scope], [403, 'scope_not_allowed', scope], request)
    const allowed = await askWith(scene, scope, request)
    assert.equal(allowed.status, 200, allowed.text.slice(0, 300))
  }
}

export const scopeClaims: readonly Claim[] = [
  claim('added', 'scopes.endpoints', 'A key is used only for what its scopes allow, on every endpoint.', [
    ...ASKED_ENDPOINTS.flatMap(({ path, request }) => {
      const scope = SCOPES[path]
      return scope === undefined ? [] : [{ as: 'pro' as const, request, check: needs(scope, request) }]
    }),
  ]),
  claim(
    'added',
    'scopes.execution',
    'An order is executed against the live book with the scope live, and against a past book with the scope history.',
    [
      { as: 'pro', request: EXECUTION, check: needs('live', EXECUTION) },
      { as: 'pro', request: PAST, check: needs('history', PAST) },
    ],
  ),
  claim('added', 'scopes.published', 'The scope of each endpoint is published, with parameters that change it.', [
    {
      as: 'nobody',
      request: '/openapi.json',
      check: ({ body }) => {
        for (const [path, scope] of Object.entries(SCOPES))
          assert.ok(body.paths[path].get.description.includes(`Needs the scope \`${scope}\``), path)
        const execution = body.paths['/v1/markets/{id}/execution'].get.description
        assert.match(execution, /Needs the scope `live`; with `timestamp`, the scope `history` instead\./)
        // A parameter that does not exist could not change anything.
        for (const { path, access } of endpoints) {
          const parameters = Object.keys((access !== 'public' && access.by === 'key' && access.scopeWith) || {})
          const published = body.paths[path].get?.parameters.map(({ name }: { name: string }) => name) ?? []
          assert.deepEqual(
            parameters.filter((name) => !published.includes(name)),
            [],
          )
        }
      },
    },
  ]),
]

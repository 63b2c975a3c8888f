import assert from 'node:assert/strict'
import { ASKED_ENDPOINTS, withParameter } from '../asked-endpoints.ts'
import { all, cellsOf, explains, hasHeaders, hasMembers, namesProblem, needsTiers } from '../checks.ts'
import { type Case, type Check, type Clause, clause, refused, served } from '../clause.ts'
import { COLUMNS } from '../columns.ts'

const KEYED = ASKED_ENDPOINTS.filter(({ as }) => as !== 'nobody')
const PUBLIC = ASKED_ENDPOINTS.filter(({ as }) => as === 'nobody')
const OF_ONE_MARKET = KEYED.filter(({ path }) => path.startsWith('/v1/markets/{id}'))
const UPPER = ['scale', 'enterprise'] as const
const INVALID = [400, 'invalid_request'] as const
const NO_KEY = [401, 'unauthenticated'] as const
const NOT_ALLOWED = [403, 'tier_not_allowed'] as const
const SNAPSHOTS = '/v1/markets/{id}/snapshots'
/** Their other part is a Parquet file. */
const WITH_FILE = ['/v1/markets/{id}/export', '/v1/exchange/export', '/v1/files/{id}', '/v1/samples/{sample}/file']
/** Lists without a row in the scene. */
const EMPTY = ['/v1/markets/{id}/gaps', '/v1/trades', '/v1/markets/{id}/export', '/v1/usage']
/** The scope that each path needs; the others need none or are not for keys. */
const SCOPES: Readonly<Record<string, 'live' | 'history'>> = {
  '/v1/categories': 'live',
  '/v1/markets/live': 'live',
  '/v1/markets/by-slug/{slug}': 'live',
  '/v1/markets/by-slug/{slug}/orderbook': 'live',
  '/v1/markets/search': 'live',
  '/v1/markets/{id}/orderbook': 'live',
  '/v1/markets/{id}/depth': 'live',
  '/v1/markets/{id}/execution': 'live',
  '/v1/quotes': 'live',
  '/v1/events': 'live',
  '/v1/events/{event}': 'live',
  '/v1/stats': 'live',
  '/api/debug': 'live',
  '/api/snapshot/latest': 'live',
  '/v1/markets/{id}/summary': 'history',
  '/v1/markets/history/recent': 'history',
  '/v1/markets/history': 'history',
  '/v1/markets/{id}/snapshots': 'history',
  '/v1/markets/{id}/bars': 'history',
  '/v1/markets/{id}/gaps': 'history',
  '/v1/markets/{id}/coverage': 'history',
  '/v1/markets/{id}/export': 'history',
  '/v1/markets/{id}/heatmap': 'history',
  '/v1/trades': 'history',
  '/v1/asof': 'history',
  '/v1/prices': 'history',
  '/v1/files': 'history',
  '/v1/files/{id}': 'history',
  '/api/snapshot': 'history',
  '/v1/exchange/orderbook': 'live',
  '/v1/exchange/snapshots': 'history',
  '/v1/exchange/trades': 'history',
  '/v1/exchange/funding': 'history',
  '/v1/exchange/open-interest': 'history',
  '/v1/exchange/prices': 'history',
  '/v1/exchange/bars': 'history',
  '/v1/exchange/gaps': 'history',
  '/v1/exchange/export': 'history',
  '/v1/exchange/coverage': 'history',
  '/v1/exchange/heatmap': 'history',
}
const WITHOUT_SCOPE = ['/v1/api-keys/validate', '/v1/limits', '/v1/credits', '/v1/usage']
const PAST_EXECUTION = '/v1/markets/{closed}/execution?side=UP&action=buy&size=5&timestamp={row.7}'

const saysHowToSendAKey: Check = ({ body }) =>
  assert.match(body.message, /X-API-Key: <key>.*Authorization: Bearer <key>/)

function needs(scope: 'live' | 'history', request: string): Case {
  const other = scope === 'live' ? 'history' : 'live'
  return refused(`key for ${other}`, request, [403, 'scope_not_allowed'], ({ body }) =>
    assert.equal(body.details.scope, scope),
  )
}

/** With the scope that is enough. */
function isJson(path: string): Check {
  return ({ headers }) => {
    assert.match(String(headers['content-type']), /^application\/json/)
    if (PUBLIC.some((each) => each.path === path)) assert.equal(headers['ratelimit-limit'], undefined)
    else assert.equal(headers['x-credits-cost'], path === SNAPSHOTS ? '10' : '0')
  }
}

function isCsv(path: string): Check {
  return all(hasHeaders({ 'content-type': 'text/csv; charset=utf-8' }), ({ text, headers }) => {
    const [names = [], ...rows] = cellsOf(text, ',')
    // The interface does not list columns; callers rely on this order.
    if (path in COLUMNS) assert.equal(names.join(','), COLUMNS[path])
    assert.equal(String(rows.length), headers['x-row-count'])
    assert.ok(rows.length > 0 || EMPTY.includes(path), 'the file has no rows')
    assert.ok(rows.every(({ length }) => length === names.length))
  })
}

const formatsAreListed = all(namesProblem('format'), explains(/json.*csv.*tsv/))

export const everyEndpointClauses: readonly Clause[] = [
  clause('4.2', 'Every endpoint is served as JSON unless another format is requested; only lists of snapshots cost.', [
    ...ASKED_ENDPOINTS.map(({ path, request, as }) => {
      const scope = SCOPES[path]
      return served(scope ? `key for ${scope}` : as, request, isJson(path))
    }),
  ]),
  clause('4.2', '`format=json` is the answer without a format.', [
    ...['/v1/markets/live', '/v1/markets/{closed}/snapshots', '/v1/payments/packs', '/api/snapshot/latest'].map(
      (request) =>
        served('pro', request, async ({ text }, scene) => {
          const explicit = await scene.ask('pro', withParameter(request, 'format=json'))
          assert.deepEqual([explicit.status, explicit.text], [200, text])
        }),
    ),
  ]),
  clause('added', 'A parameter that does not exist is 400, and the error lists the allowed ones.', [
    ...ASKED_ENDPOINTS.map(({ request, as }) =>
      refused(as, withParameter(request, 'nonsense=1'), INVALID, ({ body }) => {
        assert.deepEqual(body.details.unknown_parameters, ['nonsense'])
        assert.ok(body.details.allowed_parameters.includes('format'))
      }),
    ),
  ]),
  clause('added', 'A parameter that is given twice is 400.', [
    ...ASKED_ENDPOINTS.map(({ request, as }) =>
      refused(as, withParameter(request, 'format=json&format=json'), INVALID, namesProblem('format')),
    ),
  ]),
  clause('4.2', 'A format that does not exist, or not here, is 400, and the error lists the formats.', [
    ...ASKED_ENDPOINTS.filter((_, index) => index % 4 === 0).map(({ request, parquet, path }) => {
      const format = parquet || WITH_FILE.includes(path) ? 'xml' : 'parquet'
      return refused('scale', withParameter(request, `format=${format}`), INVALID, formatsAreListed)
    }),
    refused('nobody', '/v1/public-stats?format=xml', INVALID, formatsAreListed),
  ]),
  clause('5', 'Without a key a data endpoint is 401 and says how to send one, and nothing about parameters.', [
    ...KEYED.map(({ request }) =>
      refused(
        'nobody',
        withParameter(request, 'nonsense=1'),
        NO_KEY,
        all(
          hasMembers({ error: 'text', message: 'text', status: 'whole', request_id: 'text' }),
          hasHeaders({ 'www-authenticate': 'Bearer realm="bookreel"' }),
          saysHowToSendAKey,
          ({ text }) => assert.doesNotMatch(text, /nonsense|allowed_parameters/),
        ),
      ),
    ),
  ]),
  clause('5', 'A malformed or revoked key is 401.', [
    ...KEYED.slice(0, 3).flatMap(({ request }) =>
      (['malformed key', 'revoked key'] as const).map((as) =>
        refused(
          as,
          request,
          NO_KEY,
          all(hasHeaders({ 'www-authenticate': /, error="invalid_token"/ }), saysHowToSendAKey, ({ body }) =>
            assert.equal(body.details.reason, as === 'revoked key' ? 'unknown_key' : 'malformed_key'),
          ),
        ),
      ),
    ),
  ]),
  clause('5', 'Public endpoints ignore an invalid key.', [
    ...PUBLIC.slice(0, 4).map(({ request }) =>
      served('malformed key', request, ({ headers }) => assert.equal(headers['ratelimit-limit'], undefined)),
    ),
  ]),
  clause('added', 'A key is used only for what its scopes allow, on every endpoint.', [
    ...KEYED.filter(({ path }) => !WITHOUT_SCOPE.includes(path)).map(({ path, request }) => {
      const scope = SCOPES[path]
      assert.ok(scope, `no scope of ${path}`)
      return needs(scope, request)
    }),
    needs('history', PAST_EXECUTION),
    served('key for history', PAST_EXECUTION, ({ body }) => assert.equal(body.complete, true)),
  ]),
  clause('added', 'The scope of each endpoint is published, with parameters that change it.', [
    served('nobody', '/openapi.json', ({ body: { paths } }) => {
      for (const [path, scope] of Object.entries(SCOPES))
        assert.ok(paths[path].get.description.includes(`Needs the scope \`${scope}\``), path)
      const execution = paths['/v1/markets/{id}/execution'].get.description
      assert.match(execution, /Needs the scope `live`; with `timestamp`, the scope `history` instead\./)
    }),
  ]),
  clause('7', 'csv and tsv need the scale or enterprise tier on every endpoint; with a lower tier they are 403.', [
    ...KEYED.map(({ request }, index) => {
      const as = index % 2 === 0 ? 'free' : 'pro'
      return refused(
        as,
        withParameter(request, `format=${index % 3 === 0 ? 'tsv' : 'csv'}`),
        NOT_ALLOWED,
        needsTiers(...UPPER),
      )
    }),
    ...PUBLIC.map(({ request }) =>
      refused('nobody', withParameter(request, 'format=csv'), NOT_ALLOWED, needsTiers(...UPPER)),
    ),
    refused('pro', '/v1/public-stats?format=tsv', NOT_ALLOWED, needsTiers(...UPPER)),
  ]),
  clause('4.2', 'csv has a line of column names in a fixed order and one row for each item.', [
    ...ASKED_ENDPOINTS.map(({ path, request }) => served('scale', withParameter(request, 'format=csv'), isCsv(path))),
    served('enterprise', '/v1/markets/live?format=csv', isCsv('/v1/markets/live')),
  ]),
  clause('added', 'Parquet needs the scale or enterprise tier.', [
    ...KEYED.filter(({ parquet }) => parquet).flatMap(({ request }) => [
      refused('free', withParameter(request, 'format=parquet'), NOT_ALLOWED, needsTiers(...UPPER)),
      refused('pro', withParameter(request, 'format=parquet'), NOT_ALLOWED, needsTiers(...UPPER)),
      served(
        'scale',
        withParameter(request, 'format=parquet'),
        all(hasHeaders({ 'content-type': 'application/vnd.apache.parquet' }), ({ text }) =>
          assert.ok(text.startsWith('PAR1') && text.endsWith('PAR1')),
        ),
      ),
    ]),
  ]),
  clause('7', 'A market that does not exist is 404 on every endpoint about one market, also with a malformed id.', [
    ...OF_ONE_MARKET.flatMap(({ request }) =>
      ['{unknown}', 'nonsense'].map((id) =>
        refused('pro', request.replace(/\{(live|closed)\}/, id), [404, 'market_not_found'], explains(/market/i)),
      ),
    ),
  ]),
  clause('4', 'Another method than GET is 405, and `Allow` lists the methods.', [
    ...ASKED_ENDPOINTS.filter((_, index) => index % 4 === 0).map(({ request }, index) =>
      refused('nobody', request, [405, 'method_not_allowed'], hasHeaders({ allow: /\bGET\b/ }), {
        method: (['POST', 'PUT', 'DELETE'] as const)[index % 3] ?? 'POST',
      }),
    ),
  ]),
]

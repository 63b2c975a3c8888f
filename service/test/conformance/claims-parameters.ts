import assert from 'node:assert/strict'
import { ASKED_ENDPOINTS, withParameter } from './asked-endpoints.ts'
import { all, explains, namesProblem } from './checks.ts'
import { type Check, type Claim, claim, refused, served } from './claim.ts'

const INVALID = [400, 'invalid_request'] as const

/** Answers that change with every row that is recorded; their structure is compared. */
const CHANGING = [
  '/health',
  '/health/ready',
  '/v1/public-stats',
  '/v1/status',
  '/v1/stats',
  '/api/debug',
  '/api/snapshot/latest',
  '/v1/exchange/orderbook',
  '/v1/exchange/snapshots',
  '/v1/limits',
  '/v1/usage',
  '/v1/api-keys/validate',
  '/v1/markets/history',
  '/v1/markets/history/recent',
  '/v1/markets/{id}/gaps',
  '/v1/markets/{id}/bars',
  '/v1/trades',
]

/** Names and types of all members. */
function structureOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [structureOf(value[0])]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, structureOf(each)]))
}

/** The same request about data that never changes, at a time that stands still. */
function settled(request: string): string {
  return request
    .replace('{live.slug}', '{frozen.slug}')
    .replace(/\{live\}\/(orderbook|depth|execution)/, '{frozen}/$1')
    .replace('{two_seconds_ago}', '{row.7}')
    .replaceAll('{live}', '{closed}')
}

/** `format=json` and no format give the same answer. */
function isSameWithoutFormat(path: string, request: string, as: 'nobody' | 'pro' | 'scale'): Check {
  return async (_, scene) => {
    const at = { at: 'frozen.captured.ms' }
    const [explicit, byDefault] = await Promise.all(
      [withParameter(settled(request), 'format=json'), settled(request)].map((each) => scene.ask(as, each, at)),
    )
    assert.deepEqual([explicit?.status, byDefault?.status], [200, 200], explicit?.text.slice(0, 200))
    assert.match(String(explicit?.headers['content-type']), /^application\/json/)
    assert.equal(explicit?.headers['content-type'], byDefault?.headers['content-type'])
    const compared = CHANGING.includes(path) ? structureOf : (body: unknown) => body
    assert.deepEqual(compared(explicit?.body), compared(byDefault?.body))
  }
}

const limits = ASKED_ENDPOINTS.flatMap(({ section, request, as, limit }) => {
  if (limit === undefined) return []
  const [least, most] = limit
  const bounds = explains(new RegExp(`between ${least} and ${most.toLocaleString('en')}|between ${least} and ${most}`))
  return [least - 1, most + 1, -1, 1.5, 'ten', ''].map((value) => ({
    isAdded: section === undefined,
    case: refused(as, withParameter(request, `limit=${value}`), INVALID, all(namesProblem('limit'), bounds)),
  }))
})

export const parameterClaims: readonly Claim[] = [
  claim('added', 'parameter.unknown', 'A parameter that does not exist is 400, and the error lists the allowed ones.', [
    ...ASKED_ENDPOINTS.map(({ request, as }) =>
      refused(as, withParameter(request, 'nonsense=1'), INVALID, ({ body }) => {
        assert.deepEqual(body.details.unknown_parameters, ['nonsense'])
        assert.ok(body.details.allowed_parameters.includes('format'))
      }),
    ),
  ]),
  claim('added', 'parameter.repeated', 'A parameter that is given twice is 400.', [
    ...ASKED_ENDPOINTS.map(({ request, as }) =>
      refused(as, withParameter(request, 'format=json&format=json'), INVALID, namesProblem('format')),
    ),
  ]),
  claim('4.2', 'format.default-json', '`format=json` gives the same answer as no format.', [
    ...ASKED_ENDPOINTS.map(({ path, request, as }) =>
      served(as, withParameter(request, 'format=json'), isSameWithoutFormat(path, request, as)),
    ),
  ]),
  claim('4.2', 'format.unknown', 'A format that does not exist is 400, and the error lists the formats.', [
    ...ASKED_ENDPOINTS.map(({ request, as }) =>
      refused(
        as,
        withParameter(request, 'format=xml'),
        INVALID,
        all(namesProblem('format'), explains(/json.*csv.*tsv/)),
      ),
    ),
  ]),
  claim('8', 'limit.refused', 'A `limit` out of range or not a whole number is 400, and the error states the range.', [
    ...limits.filter(({ isAdded }) => !isAdded).map((each) => each.case),
  ]),
  claim('added', 'limit.refused-added', 'The same holds for `limit` of the added endpoints.', [
    ...limits.filter(({ isAdded }) => isAdded).map((each) => each.case),
  ]),
]

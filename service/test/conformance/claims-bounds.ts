import assert from 'node:assert/strict'
import type { Answered } from '@bookreel/testbed/service/test-service'
import { ASKED_ENDPOINTS } from './asked-endpoints.ts'
import { type Check, type Claim, claim, type WrittenCase } from './claim.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Readonly<Record<string, unknown>>
}

/** The only times that parameters accept: the first one, and the one after the last. */
const [FIRST, END] = ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z']
/** Parameters that are a time, by path. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  '/v1/markets/history': ['since'],
  '/v1/markets/history/recent': ['since'],
  '/v1/markets/{id}/snapshots': ['from', 'to'],
  '/api/snapshot': ['timestamp'],
  '/v1/exchange/snapshots': ['from', 'to'],
  '/v1/asof': ['timestamp'],
  '/v1/markets/{id}/execution': ['timestamp'],
  '/v1/markets/{id}/gaps': ['from', 'to'],
  '/v1/markets/{id}/bars': ['from', 'to'],
  '/v1/trades': ['from', 'to'],
  '/v1/markets/{id}/export': ['hour'],
  '/v1/exchange/export': ['hour'],
}
const OUT_OF_BOUNDS = ['2019-12-31T23:59:59.999Z', END, '1577836799', '0', '4102444800000']
const NO_TIMES = ['yesterday', '2026-02-30T00:00:00Z', '2026-11-15', '2026-11-15T12:00:00']

/** The request with the parameter set to this value. */
function withValue(request: string, name: string, value: string): string {
  const [path, query = ''] = request.split('?')
  const others = query.split('&').filter((each) => each !== '' && !each.startsWith(`${name}=`))
  return `${path}?${[...others, `${name}=${value}`].join('&')}`
}

function problemWith(name: string, { status, body, text }: Answered): string {
  assert.equal(status, 400, text.slice(0, 300))
  const problem = body.details.problems.find(({ parameter }: { parameter: string }) => parameter === name)
  assert.ok(problem, `${name} is not named: ${text}`)
  return problem.problem
}

function says(name: string, wanted: string): Check {
  return (answer) => {
    const problem = problemWith(name, answer)
    assert.ok(problem.startsWith(wanted), problem)
  }
}

const asked = (path: string) => {
  const found = ASKED_ENDPOINTS.find((endpoint) => endpoint.path === path)
  assert.ok(found, path)
  return found
}

const times = (values: readonly string[], wanted: string): WrittenCase[] =>
  Object.entries(TIMES).flatMap(([path, names]) =>
    names.flatMap((name) =>
      values.map((value) => ({
        as: asked(path).as,
        request: withValue(asked(path).request, name, value),
        status: 400,
        error: 'invalid_request' as const,
        check: says(name, wanted),
      })),
    ),
  )

interface Bounds {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly maxLength?: number
}

/** One step outside of each published bound is refused, with the same bounds in the message. */
const publishedBounds: Check = async ({ body }, scene) => {
  let checked = 0
  for (const { path, request, as } of ASKED_ENDPOINTS) {
    const parameters: Parameter[] = body.paths[path].get.parameters
    for (const { name, in: place, schema } of parameters) {
      const { type, minimum, maximum, exclusiveMinimum = 0, maxLength } = schema as Bounds
      if (place !== 'query') continue
      if (type === 'integer') {
        assert.ok(minimum !== undefined && maximum !== undefined, `${path} ${name} has no bounds`)
        for (const value of [minimum - 1, maximum + 1]) {
          const answer = await scene.ask(as, withValue(request, name, String(value)))
          assert.equal(problemWith(name, answer), `must be between ${minimum} and ${maximum}, got ${value}`)
        }
      } else if (type === 'number') {
        assert.ok(maximum !== undefined, `${path} ${name} has no maximum`)
        for (const value of [exclusiveMinimum, maximum + 1]) {
          const answer = await scene.ask(as, withValue(request, name, String(value)))
          assert.ok(
            problemWith(name, answer).startsWith(`must be above ${exclusiveMinimum} and at most ${maximum}`),
            `${path} ${name} ${answer.text}`,
          )
        }
      } else if (maxLength !== undefined) {
        const answer = await scene.ask(as, withValue(request, name, 'a'.repeat(maxLength + 1)))
        assert.match(
          problemWith(name, answer),
          new RegExp(`must have .*\\b${maxLength} characters, got ${maxLength + 1}`),
        )
      } else continue
      checked++
    }
  }
  assert.ok(checked >= 12, `only ${checked} parameters have bounds`)
}

export const boundClaims: readonly Claim[] = [
  claim(
    '8',
    'bounds.published',
    'Every number and text parameter has published bounds; one step outside is refused, and the message has the same numbers.',
    [{ as: 'nobody', request: '/openapi.json', check: publishedBounds }],
  ),
  claim(
    'added',
    'bounds.times',
    'A time before 2020 or after 2099 is refused, in every form and on every endpoint, and the message has the bounds.',
    times(OUT_OF_BOUNDS, `must be a time from ${FIRST} and before ${END}, got `),
  ),
  claim(
    'added',
    'bounds.no-times',
    'A text that is no time is refused, and the message shows the accepted forms.',
    times(
      NO_TIMES,
      'must be a time: text with its zone such as 2026-11-15T12:00:00Z, epoch seconds or epoch milliseconds',
    ),
  ),
  claim('added', 'bounds.first-time', 'The first allowed time is accepted, and the bounds are published.', [
    {
      as: 'scale',
      request: `/v1/markets/history?since=${FIRST}`,
      check: ({ body }) => assert.ok(body.total_markets > 0),
    },
    {
      as: 'nobody',
      request: '/openapi.json',
      check: ({ body }) => {
        for (const [path, names] of Object.entries(TIMES)) {
          const parameters: Parameter[] = body.paths[path].get.parameters
          const published = parameters.filter(({ schema }) => schema.format === 'date-time')
          assert.deepEqual(published.map(({ name }) => name).toSorted(), names.toSorted(), path)
          for (const { schema } of published)
            assert.deepEqual([schema['x-minimum'], schema['x-exclusiveMaximum']], [FIRST, END])
        }
      },
    },
  ]),
  claim('added', 'idempotency.published', 'Idempotency-Key is published where it is read, with its length.', [
    {
      as: 'nobody',
      request: '/openapi.json',
      check: ({ body }) => {
        const readers = Object.entries<Record<string, { parameters?: Parameter[] }>>(body.paths).flatMap(
          ([path, methods]) =>
            Object.values(methods).flatMap(({ parameters = [] }) =>
              parameters.filter(({ name }) => name === 'Idempotency-Key').map((each) => ({ path, ...each })),
            ),
        )
        assert.deepEqual(
          readers.map(({ path }) => path),
          [
            '/v1/markets/{id}/snapshots',
            '/v1/exchange/heatmap',
            '/v1/exchange/export',
            '/v1/markets/{id}/heatmap',
            '/v1/markets/{id}/export',
            '/v1/files/{id}',
            '/v1/payments/create-invoice',
          ],
        )
        for (const { schema, in: place } of readers)
          assert.deepEqual([place, schema], ['header', { type: 'string', minLength: 1, maxLength: 255 }])
      },
    },
    ...(['/v1/markets/{live}/snapshots', '/v1/markets/{closed}/export?hour={hour}&part=gaps'] as const).map(
      (request): WrittenCase => ({
        as: 'pro',
        request,
        headers: { 'idempotency-key': 'k'.repeat(256) },
        status: 400,
        error: 'invalid_request',
        check: says('Idempotency-Key', 'must have 1 to 255 characters, got 256'),
      }),
    ),
    {
      as: 'member',
      request: '/v1/payments/create-invoice',
      method: 'POST',
      headers: {
        'idempotency-key': 'k'.repeat(256),
        origin: 'http://localhost:8080',
        'x-requested-with': 'bookreel',
        'content-type': 'application/json',
      },
      payload: JSON.stringify({ pack: 'credits_10k' }),
      status: 400,
      error: 'invalid_request',
      check: says('Idempotency-Key', 'must have 1 to 255 characters, got 256'),
    },
    {
      as: 'pro',
      request: '/v1/markets/{live}/snapshots?limit=1',
      headers: { 'idempotency-key': 'k'.repeat(255) },
      check: ({ body }) => assert.equal(body.snapshots.length, 1),
    },
  ]),
]

import assert from 'node:assert/strict'
import { endpoints } from '../../../src/endpoints/index.ts'
import { openApi } from '../../../src/http/openapi.ts'
import { ASKED_ENDPOINTS, type AskedEndpoint, SESSION_ENDPOINTS } from '../asked-endpoints.ts'
import { all, explains, namesProblem } from '../checks.ts'
import { type Caller, type Case, type Check, type Clause, clause, refused, served } from '../clause.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: {
    readonly type?: string
    readonly enum?: readonly string[]
    readonly format?: string
    readonly minimum?: number
    readonly maximum?: number
    readonly exclusiveMinimum?: number
    readonly minLength?: number
    readonly maxLength?: number
  } & Readonly<Record<string, unknown>>
}

interface Operation {
  readonly parameters: readonly Parameter[]
}

type Published = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const INVALID = [400, 'invalid_request'] as const
/** The only times that parameters accept: the first one, and the one after the last. */
const [FIRST, END] = ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z']
const OUT_OF_BOUNDS = `must be a time from ${FIRST} and before ${END}, got `
const NO_TIME = 'must be a time: text with its zone such as 2026-11-15T12:00:00Z, epoch seconds or epoch milliseconds'
/** Of parameters whose values the schema does not describe. */
const UNKNOWN_VALUES: Readonly<Record<string, string>> = {
  crypto: 'PEPE',
  coin: 'PEPE',
  timeframe: '7m',
  ids: 'btc',
  markets: '',
  group_by: 'month',
  price_step: '-1',
}
const { paths } = openApi(endpoints) as unknown as { readonly paths: Published }

/** Values that a parameter must refuse, with the beginning of what the error says about each. */
function wrongValues({ name, schema }: Parameter): readonly (readonly [value: string, says: string])[] {
  const { type, minimum, maximum, exclusiveMinimum = 0, minLength, maxLength } = schema
  if (schema.format === 'date-time')
    return [
      ['2019-12-31T23:59:59.999Z', OUT_OF_BOUNDS],
      [END, OUT_OF_BOUNDS],
    ]
  if (schema.format !== undefined || schema.enum !== undefined) return [['nonsense', '']]
  if (type === 'boolean') return [['maybe', '']]
  if (type === 'integer') {
    assert.ok(minimum !== undefined && maximum !== undefined, `${name} has no bounds`)
    const bounds = `between ${minimum} and ${maximum}, got`
    return [
      [String(minimum - 1), `must be ${bounds} ${minimum - 1}`],
      [String(maximum + 1), `must be ${bounds} ${maximum + 1}`],
      ['1.5', `must be a whole number ${bounds} "1.5"`],
    ]
  }
  if (type === 'number') {
    assert.ok(maximum !== undefined, `${name} has no maximum`)
    const says = `must be above ${exclusiveMinimum} and at most ${maximum}`
    return [exclusiveMinimum, maximum + 1].map((value) => [String(value), says])
  }
  const unknown = UNKNOWN_VALUES[name]
  if (unknown !== undefined) return [[unknown, '']]
  assert.ok(maxLength !== undefined, `nothing is known of ${name}`)
  const wanted = `must have ${minLength === undefined ? 'at most' : `${minLength} to`} ${maxLength} characters, got `
  return [maxLength + 1, ...(minLength === undefined ? [] : [0])].map((length) => ['a'.repeat(length), wanted])
}

interface Wrong {
  readonly name: string
  readonly value: string
  readonly says: string
}

function namesAll(wrong: readonly Wrong[]): Check {
  return ({ body }) => {
    const problems: { parameter: string; problem: string }[] = body.details.problems
    for (const { name, says } of wrong) {
      const found = problems.find(({ parameter }) => parameter === name)
      assert.ok(found, `${name} is not named in ${JSON.stringify(problems)}`)
      assert.ok(found.problem.startsWith(says), `${name} ${found.problem}`)
    }
  }
}

/** Requests with a wrong value of every parameter, until each value has been in one. */
function wrongRequests({ path, request, as }: Asked): Case[] {
  const values = parametersOf(path).map((each) => ({ name: each.name, values: wrongValues(each) }))
  const rounds = Math.max(0, ...values.map((each) => each.values.length))
  return Array.from({ length: rounds }, (_, round) => {
    const wrong = values.flatMap(({ name, values }): Wrong[] => {
      const [value, says] = values[round] ?? values[0] ?? []
      return value === undefined || says === undefined ? [] : [{ name, value, says }]
    })
    const asked = wrong.reduce((before, { name, value }) => withValue(before, name, value), request)
    return refused(as, asked, INVALID, namesAll(wrong))
  })
}

/** The request without the parameter, or with another value of it. */
function withValue(request: string, name: string, value?: string): string {
  const [path, query = ''] = request.split('?')
  const others = query.split('&').filter((each) => each !== '' && !each.startsWith(`${name}=`))
  const own = value === undefined ? [] : [`${name}=${value}`]
  return `${path}?${[...others, ...own].join('&')}`
}

type Asked = Pick<AskedEndpoint, 'path' | 'request' | 'as'> | { path: string; request: string; as: 'member' }

const ASKED: readonly Asked[] = [
  ...ASKED_ENDPOINTS,
  ...SESSION_ENDPOINTS.filter(({ method, path }) => method === 'GET' && !path.includes('{')).map(({ path }) => ({
    path,
    request: path,
    as: 'member' as const,
  })),
]

function parametersOf(path: string): readonly Parameter[] {
  const published = paths[path]?.get?.parameters ?? []
  return published.filter((each) => each.in === 'query' && !['format', 'form', 'spreadsheet_safe'].includes(each.name))
}

function withParameter(name: string): readonly Asked[] {
  return ASKED.filter(({ path }) => parametersOf(path).some((each) => each.name === name))
}

/** Every endpoint with both times, a day where it counts days. */
const RANGED = withParameter('from')
  .filter((each) => withParameter('to').includes(each))
  .map(({ path, request }) => {
    const isDay = parametersOf(path).some(({ schema }) => schema.format === 'date')
    const time = isDay ? '2026-11-15' : '2026-11-15T00:00:00Z'
    return withValue(withValue(request, 'from', time), 'to', time)
  })

const isFree: Check = async (_, scene) => {
  const creditsOf = async () => (await scene.ask('own account', '/v1/api-keys/validate')).body.creditsRemaining
  const before = await creditsOf()
  for (const request of RANGED) {
    const answer = await scene.ask('own account', request)
    assert.equal(answer.status, 400, request)
    await namesProblem('from')(answer, scene)
  }
  assert.equal(await creditsOf(), before)
}

const hasPublishedLimits: Check = ({ body }) => {
  for (const { path, limit } of ASKED_ENDPOINTS) {
    const published = body.paths[path].get.parameters.find(({ name }: Parameter) => name === 'limit')?.schema
    assert.deepEqual(published && [published.minimum, published.maximum], limit, path)
  }
}

const hasPublishedTimes: Check = ({ body }) => {
  const times = Object.values<Record<string, Operation>>(body.paths).flatMap((methods) =>
    (methods.get?.parameters ?? []).filter(({ schema }) => schema.format === 'date-time'),
  )
  assert.ok(times.length > 30)
  for (const { schema } of times) assert.deepEqual([schema['x-minimum'], schema['x-exclusiveMaximum']], [FIRST, END])
}

/** Requests with a second page, where the usual one has none. */
const PAGED: Readonly<Record<string, string>> = {
  '/v1/events/{event}': '/v1/events/listed-london',
  '/v1/markets/{id}/bars': '/v1/markets/{closed}/bars?interval=1s&from={closed.start.s}',
  '/v1/markets/{id}/gaps': '/v1/markets/{holey}/gaps',
  '/v1/trades': '/v1/trades?marketId={holey}',
  '/v1/exchange/bars': '/v1/exchange/bars?symbol=BTC&interval=1s&from={perp.first}',
  '/v1/files': '/v1/files?all_revisions=true',
}
/** A cursor is refused when one of these has another value, or the path has another market. */
const OTHERS: Readonly<Record<string, string>> = {
  order: 'desc',
  symbol: 'ETH',
  source: 'binance',
  marketId: '{closed}',
  interval: '5m',
}
/** The last one is the largest time that cursors may have. */
const NUMBERS = [9e15, -1, 1e300, 0.5, 0, 253_402_300_799_999]
const TEXTS = ['\0', 'a\0b', '\ud800', '', 'é'.repeat(100)]

/** One row for a page; a list of a session is asked by a user with several rows. */
function pageOf({ path, request, as }: Asked): Pick<Asked, 'request'> & { readonly as: Caller } {
  const isOrdered = parametersOf(path).some(({ name }) => name === 'order')
  const page = withValue(PAGED[path] ?? request, 'limit', '1')
  return { request: isOrdered ? withValue(page, 'order', 'asc') : page, as: as === 'member' ? 'scale member' : as }
}

const refusesOtherCursors =
  (list: Asked): Check =>
  async (answer, scene) => {
    const { request, as } = pageOf(list)
    const cursor: string | undefined = answer.body.next_cursor ?? answer.headers['x-next-cursor']
    assert.ok(cursor, 'there is no second page')
    const parts: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const forged = parts.flatMap((part, place) =>
      (typeof part === 'number' ? NUMBERS : TEXTS).map((edit) => JSON.stringify(parts.with(place, edit))),
    )
    for (const text of forged) {
      const { status, body } = await scene.ask(
        as,
        withValue(request, 'cursor', Buffer.from(text).toString('base64url')),
      )
      assert.ok(status === 200 || body.error === 'invalid_request', `${text}: ${status}`)
    }
    const others = parametersOf(list.path).flatMap(({ name }) => {
      const value = OTHERS[name]
      return value === undefined ? [] : [withValue(request, name, value)]
    })
    if (list.path.includes('{id}')) others.push(request.replace(/\{(live|closed|holey)\}/, '{closed_other}'))
    for (const other of others) {
      const refused = await scene.ask(as, withValue(other, 'cursor', cursor))
      assert.equal(refused.status, 400, other)
      await namesProblem('cursor')(refused, scene)
    }
  }

export const everyParameterClauses: readonly Clause[] = [
  clause('7', 'Parameters that are required and left out are 400 and named.', [
    ...ASKED.flatMap(({ path, request, as }) => {
      const names = parametersOf(path).flatMap(({ name, required }) => (required ? [name] : []))
      const bare = names.reduce((before, name) => withValue(before, name), request)
      return names.length === 0 ? [] : [refused(as, bare, INVALID, all(...names.map(namesProblem)))]
    }),
  ]),
  clause('7', 'Values that no parameter accepts are 400; the error names each of them, and its bounds.', [
    ...ASKED.flatMap(wrongRequests),
  ]),
  clause('8', 'The largest number that a list accepts is accepted.', [
    ...ASKED.flatMap(({ path, request, as }) =>
      parametersOf(path)
        .filter(({ name }) => ['limit', 'offset', 'after'].includes(name))
        .map(({ name, schema }) =>
          served(as, withValue(request, name, String(schema.maximum)), ({ text }) => assert.ok(text.length > 1)),
        ),
    ),
  ]),
  clause('8', 'A number that is no number is 400, and the error states the bounds.', [
    ...['ten', '', '1e3', '-1'].map((value) =>
      refused('pro', `/v1/markets/live?limit=${value}`, INVALID, explains(/between 1 and 5000/)),
    ),
  ]),
  clause('added', 'A time is refused in every form when it is before 2020 or after 2099, or is no time.', [
    ...['1577836799', '0', '4102444800000'].map((value) =>
      refused(
        'pro',
        `/v1/trades?marketId={closed}&from=${value}`,
        INVALID,
        namesAll([{ name: 'from', value, says: OUT_OF_BOUNDS }]),
      ),
    ),
    ...['yesterday', '2026-02-30T00:00:00Z', '2026-11-15', '2026-11-15T12:00:00'].map((value) =>
      refused(
        'pro',
        `/v1/trades?marketId={closed}&from=${value}`,
        INVALID,
        namesAll([{ name: 'from', value, says: NO_TIME }]),
      ),
    ),
  ]),
  clause('added', 'The first allowed time is accepted.', [
    served('scale', `/v1/markets/history?since=${FIRST}`, ({ body }) => assert.ok(body.total_markets > 0)),
  ]),
  clause('8', 'Limits of lists and bounds of times are published.', [
    served('nobody', '/openapi.json', hasPublishedLimits),
    served('nobody', '/openapi.json', hasPublishedTimes),
  ]),
  clause('added', '`from` must be before `to` on every endpoint that has them; a refusal costs nothing.', [
    served('own account', '/v1/api-keys/validate', isFree),
    refused('pro', '/v1/usage?from=2026-11-16&to=2026-11-15', INVALID, namesProblem('from')),
    refused(
      'pro',
      '/v1/trades?marketId={closed}&from=2026-11-15T12:00:00Z&to=2026-11-15T11:00:00Z',
      INVALID,
      namesProblem('from'),
    ),
  ]),
]

/** Last: some lists have a second page only because of what other clauses made. */
export const cursorClauses: readonly Clause[] = [
  clause('added', 'A cursor belongs to one list; one that was changed or made up is refused, or answered.', [
    ...withParameter('cursor').flatMap((list) => {
      const { request, as } = pageOf(list)
      return [
        served(as, request, refusesOtherCursors(list)),
        refused(as, withValue(request, 'cursor', 'x'), INVALID, namesProblem('cursor')),
      ]
    }),
  ]),
]

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../src/endpoints/index.ts'
import { assertKeyHeaders, isFreeError } from './checks.ts'
import type { Case } from './clause.ts'
import { CLAUSES } from './clauses.ts'
import { endpointOf } from './endpoint-of.ts'
import { tierOfKey } from './scene/callers.ts'
import { Scene } from './scene/scene.ts'

const VALIDATOR_PHRASES =
  /Invalid (?:input|option|string|value|key|element|ISO|UUID|URL|number)|\bexpected\b|Too (?:big|small)|Unrecognized|received (?:undefined|NaN|string)|undefined|\[object/i

let scene: Scene

beforeAll(async () => {
  scene = await Scene.open()
})

afterAll(() => scene?.[Symbol.asyncDispose]())

async function holds(_: string, each: Case): Promise<void> {
  const { request, as, status = 200, error, check, method = 'GET' } = each
  const answer = await scene.ask(as, request, each)
  expect(answer.status, answer.text.slice(0, 500)).toBe(status)
  if (error !== undefined) {
    expect(answer.body).toMatchObject({ error, status })
    expect(answer.text, 'a sentence of ours').not.toMatch(VALIDATOR_PHRASES)
  }
  expect(scene.breaches(method, request, answer), 'against the published document').toEqual([])
  expect(answer.headers['x-request-id']).toMatch(/^[\w.:-]{1,64}$/)
  const tier = tierOfKey(as)
  const access = endpointOf(method, request)?.access
  if (tier !== undefined && status !== 405 && typeof access === 'object' && access.by === 'key') {
    assertKeyHeaders(answer, tier)
    if (error !== undefined) isFreeError(answer)
  }
  await check(answer, scene)
}

const shortened = (request: string): string => request.replaceAll(/(.)\1{30,}/g, '$1…')

const cases = CLAUSES.flatMap(({ section, says, cases }) =>
  cases.map((each): [string, Case] => [
    `${section} · ${says} · ${each.method ?? 'GET'} ${shortened(each.request)} as ${each.as}`,
    each,
  ]),
)

/** Cases that count credits or keys must not run beside others that spend or create them. */
const isAlone = ([, { as }]: [string, Case]): boolean => ['own account', 'key maker', 'scale member'].includes(as)

describe.concurrent('contract', () => {
  test.each(cases.filter((each) => !isAlone(each)))('%s', holds)
})

describe('contract, one at a time', () => {
  test.each(cases.filter(isAlone))('%s', holds)
})

/** After the clauses, whose checks send further requests. */
test('every endpoint is called', () => {
  const published = endpoints.map(({ method, path }) => `${method} ${path}`)
  expect(published.filter((each) => !scene.served.has(each))).toEqual([])
})

test('an answer that violates the published schema is noticed', async () => {
  const answer = await scene.ask('pro', '/v1/categories')
  const missing = { ...answer, body: [{ ...answer.body[0], activeMarkets: '3' }] }
  expect(scene.breaches('GET', '/v1/categories', missing)).toEqual([expect.stringContaining('/0/activeMarkets')])
  const added = { ...answer, body: [{ ...answer.body[0], secret: 1 }] }
  expect(scene.breaches('GET', '/v1/categories', added)).toEqual([expect.stringContaining('secret')])
  expect(scene.breaches('GET', '/v1/categories', { ...answer, status: 418 })).toHaveLength(1)
})

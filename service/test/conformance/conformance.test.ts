import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../src/endpoints/index.ts'
import type { Case, Claim } from './claim.ts'
import { CLAIMS } from './claims.ts'
import { ConformanceScene } from './scene.ts'

let scene: ConformanceScene

beforeAll(async () => {
  scene = await ConformanceScene.open()
}, 360_000)

afterAll(() => scene?.[Symbol.asyncDispose]())

const named = (claims: readonly Claim[]): [name: string, each: Case][] =>
  claims.flatMap(({ id, cases }) =>
    cases.map((each): [string, Case] => [`${id} · ${each.method ?? 'GET'} ${each.request} as ${each.as}`, each]),
  )

async function holds(_: string, each: Case): Promise<void> {
  const { endpoint, request, as, status, error, check, method = 'GET' } = each
  const answer = await scene.ask(as, request, each)
  expect(answer.status, answer.text.slice(0, 500)).toBe(status)
  if (error !== undefined) expect(answer.body).toMatchObject({ error, status })
  expect(scene.breaches(method, endpoint, answer), 'against the published document').toEqual([])
  expect(answer.headers['x-request-id']).toMatch(/^[\w.:-]{1,64}$/)
  await check(answer, scene)
}

/** Cases that count credits or keys must not run in parallel with others that spend or create them. */
const isAlone = ([, { as }]: [string, Case]): boolean => ['own account', 'key maker', 'scale member'].includes(as)
const cases = named(CLAIMS)

describe.concurrent('claims', () => {
  test.each(cases.filter((each) => !isAlone(each)))('%s', holds)
})

describe('claims, one at a time', () => {
  test.each(cases.filter(isAlone))('%s', holds)
})

/** After the claims, whose checks send further requests. */
test('every endpoint is called', () => {
  const published = endpoints.map(({ method, path }) => `${method} ${path}`)
  expect(published.filter((each) => !scene.served.has(each))).toEqual([])
})

test('a response that violates the published schema is detected', async () => {
  const answer = await scene.ask('pro', '/v1/categories')
  const missing = { ...answer, body: [{ ...answer.body[0], activeMarkets: '3' }] }
  expect(scene.breaches('GET', '/v1/categories', missing)).toEqual([expect.stringContaining('/0/activeMarkets')])
  const added = { ...answer, body: [{ ...answer.body[0], secret: 1 }] }
  expect(scene.breaches('GET', '/v1/categories', added)).toEqual([expect.stringContaining('secret')])
  expect(scene.breaches('GET', '/v1/categories', { ...answer, status: 418 })).toHaveLength(1)
})

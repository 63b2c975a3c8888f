import { type Random, random } from '@bookreel/simulator/world/random'
import { PAST_HOUR_MS, PastMarket } from '@bookreel/testbed/service/past-market'
import { list } from '@bookreel/testbed/service/stored-markets'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import { endpoints } from '../../src/endpoints/index.ts'
import { breachesOf, type PublishedDocument } from './published-schema.ts'

const REQUESTS_EACH = 40
const STRANGE = ['', ' ', '-1', '1e9', 'NaN', '\0', '%', "';--", '__proto__', '9'.repeat(400), 'é', '[]', '1,,']
const USUAL = 'BTC polymarket hyperliquid 5m 1s UP buy 1 100 0.5 true csv parquet asc chainlink strange'.split(' ')
const BODIES = ['', '{', 'null', '[]', '{"label":1}', '{"pack":"x"}', '{"markets":["x"]}', '{"__proto__":{"a":1}}']
let service: TestService
let document: PublishedDocument
let marketId: string
let key: string

beforeAll(async () => {
  service = await TestService.start()
  const past = await PastMarket.save(service, 'strange')
  await past.putRows(past.rows(0, 40))
  await past.putGaps([past.gap(41, 44)])
  await list(service, [past.market])
  marketId = past.market.id
  key = await service.keyOf('enterprise', { credits: 100_000_000 })
  document = (await service.ask('/openapi.json')).body as PublishedDocument
}, 360_000)

afterAll(() => service?.[Symbol.asyncDispose]())

/** Mostly a value that the parameter accepts, so that many requests get past the first checks. */
function valueFor(name: string, schema: z.ZodType, draw: Random): string {
  if (draw.chance(0.1)) return draw.pick(STRANGE)
  // Ranges that end before they begin are among them.
  const offset = name === 'to' ? 40 : 0
  const times = [0, 1, 10].map((minutes) => new Date(PAST_HOUR_MS + (offset + minutes) * 60_000).toISOString())
  const accepted = [...times, marketId, `${times[0]?.slice(0, 13)}:00:00.000Z`, ...USUAL].filter(
    (value) => schema.safeParse(value).success,
  )
  return /market|^id$/.test(name) ? marketId : draw.pick(accepted.length > 0 ? accepted : STRANGE)
}

function strangeUrl({ path, query }: Endpoint, draw: Random): string {
  const schemas = Object.entries(query instanceof z.ZodObject ? (query.shape as Record<string, z.ZodType>) : {})
  const given = schemas.filter(([, schema]) => !schema.safeParse(undefined).success || draw.chance(0.25))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(valueFor(name, z.string().min(1), draw) || 'x'),
  )
  const search = new URLSearchParams(
    given.map(([name, schema]): [string, string] => [name, valueFor(name, schema, draw)]),
  )
  return `${filled}?${search.toString()}`
}

const withKey = endpoints.filter(({ access }) => access === 'public' || access.by === 'key')
test.each(withKey.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s refuses what is strange, or answers as published',
  async (_, endpoint) => {
    const { method, path, requestBody } = endpoint
    const draw = random('strange requests', method, path)
    const wrong: string[] = []
    for (let count = 0; count < REQUESTS_EACH; count++) {
      const url = strangeUrl(endpoint, draw)
      const payload = requestBody === undefined ? {} : { payload: draw.pick(BODIES) }
      const headers = { 'x-api-key': key, ...(requestBody && { 'content-type': 'application/json' }) }
      const answer = await service.server.inject({ method, url, headers, ...payload })
      const type = String(answer.headers['content-type'] ?? '')
      const content = type.startsWith('application/json') ? JSON.parse(answer.body) : answer.body
      const breaches = breachesOf(document, method, path, answer.statusCode, type, content)
      // 501 is what is published without a payment processor.
      const isFailure = answer.statusCode >= 500 && answer.statusCode !== 501
      if (isFailure || breaches.length > 0) wrong.push(`${url}: ${answer.statusCode} ${answer.body} ${breaches.join()}`)
    }
    expect(wrong).toEqual([])
  },
)

import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { PAST_HOUR_MS } from '@bookreel/testbed/service/past-market'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type McpScene, startMcpScene } from './mcp-scene.ts'

let scene: McpScene
let key: string

beforeAll(async () => {
  scene = await startMcpScene()
  key = await scene.service.keyOf('enterprise')
}, 360_000)

afterAll(() => scene?.[Symbol.asyncDispose]())

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const callOf = (name: string, args = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args },
})

interface Sent {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** The JSON body, also when it is sent as a server-sent event. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its reply.
  readonly body: any
}

/** Uses node:http, because `fetch` cannot send another Host. */
async function send(body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<Sent> {
  const asked = httpRequest(scene.url, {
    method,
    headers: {
      'x-api-key': key,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
    },
  })
  if (headers['x-api-key'] === '') asked.removeHeader('x-api-key')
  asked.end(method === 'POST' ? (typeof body === 'string' ? body : JSON.stringify(body)) : undefined)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const text = Buffer.concat(await Array.fromAsync<Buffer>(response)).toString()
  const json = text.startsWith('event:') ? (/^data: (.*)$/m.exec(text)?.[1] ?? 'null') : text
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    body: json === '' ? undefined : JSON.parse(json),
  }
}

describe('admission', () => {
  test('a key is accepted in either header, as curl would send it', async () => {
    expect((await send(LIST)).body.result.tools.length).toBeGreaterThan(10)
    const bearer = await send(LIST, { 'x-api-key': '', authorization: `Bearer ${key}` })
    expect(bearer.body.result.tools.length).toBeGreaterThan(10)
    expect(bearer.headers).toMatchObject({
      'ratelimit-limit': expect.any(String),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
  })

  test.each([
    ['no key', { 'x-api-key': '' }, /^Bearer realm="bookreel"$/],
    ['a wrong one', { 'x-api-key': 'br_live_nonsense' }, /^Bearer .*error="invalid_token"/],
    ['a wrong bearer', { 'x-api-key': '', authorization: 'Bearer nonsense' }, /^Bearer .*error="invalid_token"/],
    ['another scheme', { 'x-api-key': '', authorization: 'Basic abc' }, /^Bearer realm="bookreel"$/],
  ])('%s is 401 with a challenge, whatever is sent', async (_, headers, challenge) => {
    for (const body of [LIST, 'no json', []]) {
      const { status, headers: answered, body: error } = await send(body, headers)
      expect([status, error.error]).toEqual([401, 'unauthenticated'])
      expect(answered['www-authenticate']).toMatch(challenge)
    }
  })

  test('the official client reports a refused key', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const transport = new StreamableHTTPClientTransport(scene.url, { requestInit: { headers: { 'x-api-key': 'no' } } })
    await expect(client.connect(transport)).rejects.toThrow()
  })

  test('a key without the MCP scope is 403', async () => {
    const other = await scene.service.keyOf('pro', { scopes: ['live', 'history'] })
    const { status, body } = await send(LIST, { 'x-api-key': other })
    expect([status, body.error]).toEqual([403, 'scope_not_allowed'])
  })

  test.each([
    ['host', 'evil.example'],
    ['host', 'localhost.evil.example'],
    ['host', '169.254.169.254'],
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
    ['origin', 'http://127.0.0.1.evil.example'],
  ])('a foreign %s is refused: %s', async (header, value) => {
    const { status, body } = await send(LIST, { [header]: value })
    expect([status, body.error]).toEqual([403, 'host_not_allowed'])
  })

  test.each([
    ['host', 'localhost:8080'],
    ['origin', 'http://localhost:3000'],
  ])('an own %s is accepted: %s', async (header, value) => {
    expect((await send(LIST, { [header]: value })).status).toBe(200)
  })

  test('the server is stateless: there is no session to name and no stream to open', async () => {
    expect(await send(LIST, { 'mcp-session-id': 'of-yesterday' })).toMatchObject({ status: 404 })
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await send('', {}, method)
      expect([status, headers.allow]).toEqual([405, 'POST'])
    }
    expect((await send(LIST)).headers['mcp-session-id']).toBeUndefined()
  })
})

describe('messages', () => {
  test('one JSON message of at most 64 KiB is accepted', async () => {
    expect(await send('{"jsonrpc":')).toMatchObject({ status: 400, body: { error: { code: -32_700 } } })
    for (const batch of [[], [LIST], [LIST, LIST], [callOf('get_limits'), callOf('get_limits')]]) {
      const { status, body } = await send(batch, { 'mcp-protocol-version': '2025-03-26' })
      expect([status, body?.error?.code], JSON.stringify(batch)).toEqual([400, -32_600])
    }
    const deep = await send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    )
    expect([deep.status, deep.body?.error?.code]).toEqual([400, -32_600])
    const call = (params: unknown) => send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
    for (const [params, message] of [
      [{ name: 5 }, 'params.name must be text, got 5'],
      [{}, 'params.name is required'],
      [{ name: 'get_limits', arguments: [1] }, 'params.arguments must be an object, got a list'],
    ])
      expect((await call(params)).body).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32_602, message } })
    const large = await send(callOf('list_categories', { x: 'y'.repeat(65_536) }))
    expect([large.status, large.body.error]).toEqual([413, 'payload_too_large'])
    const xml = await send('<a/>', { 'content-type': 'text/xml' })
    expect([xml.status, xml.body.error]).toEqual([415, 'unsupported_media_type'])
  })

  test('after 2,000 invalid messages the server still answers', async () => {
    const methods = ['tools/call', 'tools/list', 'initialize', 'ping', 'resources/read', 'subscriptions/listen', '']
    const strange = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .record(
          {
            jsonrpc: fc.constantFrom('2.0', '1.0', 2),
            id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.object()),
            method: fc.oneof(fc.constantFrom(...methods), fc.string(), fc.integer()),
            params: fc.oneof(
              fc.jsonValue(),
              fc.record(
                {
                  name: fc.constantFrom('list_live_markets', 'get_market', 'get_asof', '__proto__', 'toString'),
                  arguments: fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())),
                  _meta: fc.jsonValue(),
                },
                { requiredKeys: [] },
              ),
            ),
          },
          { requiredKeys: [] },
        )
        .map((message) => JSON.stringify(message)),
    )
    const messages = fc.sample(strange, { numRuns: 2_000, seed: 20_261_115 })
    const statuses = new Map<number, number>()
    for (let start = 0; start < messages.length; start += 20) {
      const answers = await Promise.all(messages.slice(start, start + 20).map((message) => send(message)))
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
    expect(statuses.get(400)).toBeGreaterThan(500)
    expect((await send(LIST)).body.result.tools.length).toBeGreaterThan(10)
  })
})

describe('the rate limit', () => {
  test('every request counts once; a refused call is a tool error, another refused request an HTTP error', async () => {
    const free = { 'x-api-key': await scene.service.keyOf('free', { fresh: true }) }
    const first = await send(callOf('get_limits'), free)
    expect(first.body.result.structuredContent.answer).toMatchObject({ rpm: 60, rateRemaining: 59 })
    // More requests at once than the rate limit allows: some are refused on a machine of any speed.
    const calls = await Promise.all(Array.from({ length: 150 }, () => send(callOf('get_limits'), free)))
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = calls.find(({ body }) => body.result.isError)
    expect(refused?.body.result.structuredContent).toMatchObject({ error: 'rate_limited', status: 429 })
    expect(refused?.body.result.structuredContent.retry_after_seconds).toBeGreaterThan(0)
    const lists = await Promise.all(Array.from({ length: 150 }, () => send(LIST, free)))
    const list = lists.find(({ status }) => status === 429)
    expect(list?.body.error).toBe('rate_limited')
    const seconds = list?.headers['retry-after']
    expect(Number(seconds)).toBeGreaterThan(0)
    expect(list?.headers).toMatchObject({
      'ratelimit-limit': '60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    })
    expect(list?.body.details.reset_seconds).toBe(Number(seconds))
  })
})

/** The value of a counter; of a histogram with its suffix, such as `_count`. */
async function readMetric(name: string, labels: Record<string, string | number>): Promise<number> {
  const metrics = await scene.service.registry.getMetricsAsJSON()
  const values = metrics.flatMap((metric) =>
    metric.values.filter((value) => ('metricName' in value ? value.metricName : metric.name) === name),
  )
  const found = values.find((value) =>
    Object.entries(labels).every(([label, wanted]) => String(value.labels[label as never]) === String(wanted)),
  )
  return found?.value ?? 0
}

/** How much each metric grows during the work. */
async function growth(
  of: readonly (readonly [name: string, labels: Record<string, string | number>])[],
  work: () => Promise<unknown>,
): Promise<number[]> {
  const read = (): Promise<number[]> => Promise.all(of.map(([name, labels]) => readMetric(name, labels)))
  const before = await read()
  await work()
  const after = await read()
  return after.map((value, index) => value - (before[index] ?? 0))
}

const range = { from: PAST_HOUR_MS, to: PAST_HOUR_MS + 1_000 }

describe('metrics of REST', () => {
  test('a response is counted and timed under the name of its endpoint', async () => {
    const key = await scene.service.keyOf('pro')
    const route = { transport: 'rest', route: 'list_categories' }
    const grown = await growth(
      [
        ['api_requests_total', { ...route, status: 200 }],
        ['api_request_duration_seconds_count', route],
        ['api_refusals_total', { transport: 'rest', code: 'invalid_request' }],
      ],
      () => scene.service.ask('/v1/categories', { key }),
    )
    expect(grown).toEqual([1, 1, 0])
  })

  test('a refusal is counted by its code, and a request without an endpoint under no name', async () => {
    const key = await scene.service.keyOf('pro')
    const grown = await growth(
      [
        ['api_requests_total', { transport: 'rest', route: 'list_categories', status: 400 }],
        ['api_requests_total', { transport: 'rest', route: 'list_categories', status: 401 }],
        ['api_requests_total', { transport: 'rest', route: 'none', status: 404 }],
        ['api_refusals_total', { transport: 'rest', code: 'invalid_request' }],
        ['api_refusals_total', { transport: 'rest', code: 'unauthenticated' }],
        ['api_refusals_total', { transport: 'rest', code: 'not_found' }],
      ],
      async () => {
        await scene.service.ask('/v1/categories?nonsense=1', { key })
        await scene.service.ask('/v1/categories')
        await scene.service.ask('/v1/no/such/path', { key })
      },
    )
    expect(grown).toEqual([1, 1, 1, 1, 1, 1])
  })

  test('credits are counted as they are charged, and none for HEAD', async () => {
    const key = await scene.service.keyOf('pro')
    const url = `/v1/markets/${scene.past.market.id}/snapshots?from=${range.from}&to=${range.to}`
    const credits = ['api_credits_charged_total', { transport: 'rest', route: 'list_snapshots' }] as const
    expect(await growth([credits], () => scene.service.ask(url, { key }))).toEqual([10])
    const head = scene.service.server.inject({ method: 'HEAD', url, headers: { 'x-api-key': key } })
    expect(await growth([credits], () => head)).toEqual([0])
    expect((await head).headers['x-credits-cost']).toBe('0')
  })
})

describe('metrics of MCP', () => {
  test('a call is counted once, under the name of its tool, and charged there', async () => {
    await using agent = await scene.agent(await scene.service.keyOf('pro'))
    const route = { transport: 'mcp', route: 'list_snapshots' }
    const grown = await growth(
      [
        ['api_requests_total', { ...route, status: 200 }],
        ['api_request_duration_seconds_count', route],
        ['api_credits_charged_total', route],
        ['api_requests_total', { transport: 'mcp', route: 'mcp', status: 200 }],
      ],
      () => agent.call('list_snapshots', { market: scene.past.market.id, ...range, limit: 1 }),
    )
    expect(grown).toEqual([1, 1, 10, 0])
  })

  test('a refused call is counted by its code, and other messages as messages', async () => {
    await using agent = await scene.agent(await scene.service.keyOf('free'))
    const grown = await growth(
      [
        ['api_requests_total', { transport: 'mcp', route: 'list_bars', status: 403 }],
        ['api_refusals_total', { transport: 'mcp', code: 'tier_not_allowed' }],
        ['api_requests_total', { transport: 'mcp', route: 'mcp', status: 200 }],
      ],
      async () => {
        const { isError } = await agent.call('list_bars', { market: scene.past.market.id })
        expect(isError).toBe(true)
        await agent.client.listTools()
      },
    )
    expect(grown).toEqual([1, 1, 1])
  })

  test('a message without a valid key is counted', async () => {
    const grown = await growth(
      [
        ['api_requests_total', { transport: 'mcp', route: 'mcp', status: 401 }],
        ['api_refusals_total', { transport: 'mcp', code: 'unauthenticated' }],
      ],
      () => fetch(scene.url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
    )
    expect(grown).toEqual([1, 1])
  })
})

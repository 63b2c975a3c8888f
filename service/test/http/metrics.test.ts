import { PAST_HOUR_MS } from '@bookreel/testbed/service/past-market'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type McpScene, startMcpScene } from '../mcp/mcp-scene.ts'

let scene: McpScene

beforeAll(async () => {
  scene = await startMcpScene()
}, 360_000)

afterAll(() => scene?.[Symbol.asyncDispose]())

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

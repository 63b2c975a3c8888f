// Nightly: starts a cluster of six Redis servers and kills some.
// Covers: service/src/stores/engines/
import { type Stack, startStack } from '@bookreel/stack/start-stack'
import { TestService } from '@bookreel/testbed/service/test-service'
import { engineUsers } from '@bookreel/testbed/stacks/test-logins'
import { until } from '@bookreel/testbed/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Node, startGatewayNode } from '../gateway/gateway-node.ts'
import { StreamClient } from '../gateway/stream-client.ts'

let cluster: Stack
let service: TestService
let node: Node
const troubles: string[] = []

beforeAll(async () => {
  cluster = await startStack({ engines: ['redis'], redisNodes: 3, users: engineUsers() })
  service = await TestService.start({
    record: { size: { hot: 2, medium: 2, cold: 4 } },
    settings: { REDIS_URL: cluster.variable('REDIS_URL') },
  })
  const { config, access, stores } = service
  node = await startGatewayNode({ config, access, stores, onTrouble: (error) => void troubles.push(String(error)) })
}, 360_000)
afterAll(async () => {
  await node?.stop()
  await service?.[Symbol.asyncDispose]()
  await cluster?.stop()
})

test('live books and a stream are served from a Redis cluster', async () => {
  const { key } = await service.newAccount('enterprise')
  const { body: listed } = await service.ask('/v1/markets/live?category=crypto', { key })
  // Those that end last, because the test has to be over before.
  const ids: string[] = listed.slice(-4).map(({ conditionId }: { conditionId: string }) => conditionId)
  expect(ids).toHaveLength(4)
  for (const id of ids) {
    const isServed = async () => (await service.ask(`/v1/markets/${id}/orderbook`, { key })).status === 200
    await until(`the book of ${id} is served`, isServed)
  }
  const [first = ''] = ids
  const client = await StreamClient.open(`${node.url}/v1/stream`, key)
  await client.ask({ op: 'subscribe', selectors: [{ market: first }] })
  await client.until(({ type, market }) => type === 'snapshot' && market === first)
  await client.close()
  expect((await service.ask('/v1/limits', { key })).status).toBe(200)
  await until('health reports the cache', async () => (await service.ask('/health')).body.cache === 'ok')
  expect(troubles.filter((trouble) => /CROSSSLOT|MOVED|NOPERM/.test(trouble))).toEqual([])
})

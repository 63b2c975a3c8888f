import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { rowAt, slotNow } from './published-rows.ts'

let scene: GatewayScene
let node: Node

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

/** Stores a market and refreshes the catalogue of every node, without a message on the bus. */
async function saveResolution(marketId: string, winner: 0 | 1): Promise<void> {
  await scene.stores.markets.saveResolutions([{ marketId, winner, resolvedAtMs: scene.service.nowMs() }])
  await scene.list()
}

test('a resumed market that has ended is rejected as closed, and the other markets of the request continue', async () => {
  const markets = ['one', 'two', 'three'].map((name) => madeMarket(`ended ${name}`))
  const [one, ended, three] = markets as [(typeof markets)[0], (typeof markets)[0], (typeof markets)[0]]
  await scene.list(...markets)
  const from = slotNow(one)
  const selectors = markets.map(({ id }) => ({ market: id }))
  const before = await scene.client(node)
  await before.ask({ op: 'subscribe', selectors })
  await scene.publish({ rows: markets.map((market) => rowAt(market, from)) })
  for (const { id } of markets) await before.seq('book', id, from)
  await before.close()

  await scene.publish({ rows: markets.map((market) => rowAt(market, from + 1)) })
  await saveResolution(ended.id, 0)
  const back = await scene.client(node)
  const since = Object.fromEntries(markets.map(({ id }) => [id, from]))
  const ack = await back.ask({ op: 'resume', selectors, since })
  expect(ack.accepted.flatMap(({ markets: names }: { markets: string[] }) => names)).toEqual([one.id, three.id])
  expect(ack.rejected).toMatchObject([{ selector: { market: ended.id }, channel: 'book', reason: 'market_closed' }])
  await scene.publish({ rows: [one, three].map((market) => rowAt(market, from + 2)) })
  for (const { id } of [one, three]) {
    await back.seq('book', id, from + 2)
    expect(back.of('book', id).map(({ seq }) => seq)).toEqual([from + 1, from + 2])
  }
  expect(back.of('book', ended.id)).toEqual([])
  back.expectOnlyFrames()
  await back.close()
})

test('a market that was resolved while no node was connected to the bus is announced as resolved, once', async () => {
  const [market, other] = [madeMarket('unheard end'), madeMarket('heard end')]
  await scene.list(market, other)
  const client = await scene.client(node)
  const selectors = [{ market: market.id }, { market: other.id }]
  await client.ask({ op: 'subscribe', selectors, channels: ['book', 'market'] })
  await saveResolution(market.id, 1)
  const resolved = await client.until(({ type, market: id }) => type === 'resolved' && id === market.id)
  expect(resolved).toMatchObject({ channel: 'market', slug: market.slug, outcome: 'DOWN' })
  await scene.resolve(market.id, 1)
  await scene.resolve(other.id, 0)
  await client.until(({ type, market: id }) => type === 'resolved' && id === other.id)
  expect(client.of('market', market.id)).toHaveLength(1)
  await client.close()
})

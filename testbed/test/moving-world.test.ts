import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyFrame, StreamClient } from '../../service/test/gateway/stream-client.ts'
import { type GatewayNode, startGatewayNode } from '../src/service/gateway-node.ts'
import { type Answered, TestService } from '../src/service/test-service.ts'
import type { FrozenWorld } from '../src/world/frozen-world.ts'

const TICK_MS = 250
const PERP = 'hyperliquid_perp:BTC'

class Scene implements AsyncDisposable {
  readonly world: FrozenWorld
  readonly service: TestService
  readonly client: StreamClient
  readonly #node: GatewayNode

  private constructor(service: TestService, node: GatewayNode, client: StreamClient) {
    this.world = service.world
    this.service = service
    this.client = client
    this.#node = node
  }

  static async open(): Promise<Scene> {
    const service = await TestService.start({ world: 'moving' })
    const node = await startGatewayNode(service)
    const url = `ws://127.0.0.1:${node.port}/v1/stream`
    const client = await StreamClient.open(url, await service.keyOf('enterprise'))
    const { live5m, next5m, hot, liveKalshi } = service.world
    const selectors = [live5m, next5m, hot, liveKalshi].map(({ id }) => ({ market: id }))
    const channels = ['book', 'bbo', 'trade', 'context', 'market', 'status']
    await client.ask({ op: 'subscribe', selectors: [...selectors, { symbol: 'BTC' }], channels })
    return new Scene(service, node, client)
  }

  async ask(path: string): Promise<Answered['body']> {
    return (await this.service.ask(path, { key: await this.service.keyOf('enterprise') })).body
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close()
    await this.#node.stop()
    await this.service[Symbol.asyncDispose]()
  }
}

let scene: Scene
let world: FrozenWorld

beforeAll(async () => {
  scene = await Scene.open()
  world = scene.world
})

afterAll(() => scene?.[Symbol.asyncDispose]())

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index)

describe('the moving world', () => {
  test('each slot of two seconds is once and in order on the stream, in ClickHouse and in Redis', async () => {
    const fromMs = world.nowMs
    await world.advance(2_000)
    expect(scene.service.nowMs()).toBe(fromMs + 2_000)
    const slots = range(fromMs / TICK_MS + 1, 8)
    for (const { id, venue } of [world.live5m, world.next5m, world.hot, world.liveKalshi]) {
      await scene.client.seq('book', id, slots.at(-1) ?? 0)
      expect(
        scene.client.of('book', id).map(({ seq }) => seq),
        venue,
      ).toEqual(slots)
      expect(world.movedRows(id).map(({ slot }) => slot)).toEqual(slots)
      const { snapshots } = await scene.ask(`/v1/markets/${id}/snapshots?side=UP&limit=8`)
      const stored = snapshots.map(({ sequence_number: slot }: { sequence_number: number }) => slot)
      expect(stored.toSorted()).toEqual(slots)
      const inRedis = await scene.service.stores.newestRows.read(id)
      expect(inRedis).toEqual(world.movedRows(id).slice(-5).reverse())
      expect((await scene.ask(`/v1/markets/${id}/orderbook`)).up.captureTimestamp).toBe(world.nowMs)
    }
    await scene.client.seq('book', PERP, world.nowMs / 500)
    expect(scene.client.of('book', PERP).map(({ seq }) => seq)).toEqual(range(fromMs / 500 + 1, 4))
    // The context of the other second is that of the one before.
    expect(scene.client.of('context', PERP)).toHaveLength(1)
  })

  test('a lost socket is a gap in the stream and in the store, after which rows go on', async () => {
    const { id } = world.live5m
    const first = world.nowMs / TICK_MS + 1
    world.disconnect(3_000)
    await world.advance(5_000)
    const gap = { cause: 'disconnected', kind: 'missing' }
    await scene.client.seq('book', id, world.nowMs / TICK_MS)
    const frames = scene.client.of('book', id).filter(({ seq = first, from_seq: from = seq }) => from >= first)
    expect(frames[0]).toMatchObject({ type: 'gap', from_seq: first, to_seq: first + 11, ...gap })
    expect(frames.slice(1).map(({ seq }) => seq)).toEqual(range(first + 12, 8))
    expect((await scene.ask(`/v1/markets/${id}/gaps`)).gaps.at(-1)).toMatchObject({ cause: 'disconnected', slots: 12 })
    expect(scene.client.of('book', world.hot.id).filter(({ type }) => type === 'gap')).toEqual([])
  })

  test('the end of a window is told to its readers, and then its winner', async () => {
    const { live5m, next5m } = world
    const told = (id: string) => scene.client.of('market', id).map(({ type, at }) => [type, at])
    await world.advance((live5m.endsAtMs ?? 0) - world.nowMs)
    await scene.client.until(({ type, market }) => type === 'opened' && market === next5m.id)
    expect(told(live5m.id)).toEqual([['settled', live5m.endsAtMs]])
    expect(told(next5m.id)).toEqual([['opened', live5m.endsAtMs]])
    await world.advance(60_000)
    const resolved = await scene.client.until(({ type }) => type === 'resolved')
    expect(resolved).toMatchObject({ market: live5m.id, outcome: 'DOWN' })
    expect(world.winnerOf(live5m.id)).toBe(1)
    expect(await scene.ask(`/v1/markets/by-slug/${live5m.slug}`)).toMatchObject({
      status: 'expired',
      resolved_outcome: 'DOWN',
    })
  })

  test('books of an unknown hash rule are not proved', async () => {
    const isProved = async () =>
      (await scene.ask(`/v1/markets/${world.hot.id}/orderbook`)).up.flags.includes('verified')
    expect(await isProved()).toBe(true)
    world.changeHashRule()
    await world.advance(15_000)
    expect(await isProved()).toBe(false)
  })

  test('another run tells the same frames', async () => {
    await using other = await Scene.open()
    await other.world.advance(2_000)
    other.world.disconnect(3_000)
    await other.world.advance(5_000)
    for (const { id } of [world.live5m, world.hot, world.liveKalshi]) {
      const last = other.world.nowMs / TICK_MS
      await other.client.seq('book', id, last)
      const again = other.client.frames.filter(({ market }) => market === id)
      expect(again.length).toBeGreaterThan(8)
      expect(framesUpTo(id, other.world.nowMs)).toEqual(again)
    }
  })
})

function framesUpTo(id: string, ms: number): AnyFrame[] {
  return scene.client.frames.filter(({ market, sent_at: sentAtMs }) => market === id && sentAtMs <= ms)
}

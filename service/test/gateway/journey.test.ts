import { type GatewayNode, startGatewayNode } from '@bookreel/testbed/service/gateway-node'
import { TestService } from '@bookreel/testbed/service/test-service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnyFrame, StreamClient } from './stream-client.ts'

const PERP = 'hyperliquid_perp:BTC'
const CHANNELS = ['book', 'bbo']

let service: TestService
let node: GatewayNode

beforeAll(async () => {
  service = await TestService.start({ world: 'moving' })
  node = await startGatewayNode(service)
})
afterAll(async () => {
  await node?.stop()
  await service?.[Symbol.asyncDispose]()
})

async function connect(): Promise<StreamClient> {
  return StreamClient.open(`ws://127.0.0.1:${node.port}/v1/stream`, await service.keyOf('enterprise'))
}

function unsent(frames: readonly AnyFrame[]): AnyFrame[] {
  return frames.map(({ sent_at: _sent, ...frame }) => frame)
}

async function replayed(selector: object, from: number, to: number): Promise<StreamClient> {
  const past = await connect()
  await past.ask({ op: 'replay', selectors: [selector], channels: CHANNELS, from, to, speed: 'max' })
  expect((await past.until(({ type }) => type === 'replay_ended')).reason).toBe('complete')
  past.expectOnlyFrames()
  await past.close()
  return past
}

test('the streams of both venues and of a perp have every slot and its gap, and their replays are identical', async () => {
  const { world } = service
  const { live5m, liveKalshi } = world
  const fromMs = world.nowMs
  const live = await connect()
  const selectors = [{ market: live5m.id }, { market: liveKalshi.id }, { symbol: 'BTC' }]
  await live.ask({ op: 'subscribe', selectors, channels: CHANNELS })
  await world.advance(2_000)
  world.disconnect(1_000)
  await world.advance(4_000)
  const [first, last] = [fromMs / 250 + 1, world.nowMs / 250]
  for (const id of [live5m.id, liveKalshi.id]) await live.seq('book', id, last)
  await live.seq('book', PERP, world.nowMs / 500)
  await live.ask({ op: 'unsubscribe' })
  const toMs = world.nowMs + 1
  // A replay ends before the present.
  await world.advance(1_000)

  const seqsOf = (name: string) => live.of('book', name).flatMap(({ seq }) => seq ?? [])
  const all = Array.from({ length: 24 }, (_, index) => first + index)
  expect(seqsOf(live5m.id)).toEqual(all.filter((seq) => seq < first + 8 || seq >= first + 12))
  expect(live.of('book', live5m.id).filter(({ type }) => type === 'gap')).toMatchObject([
    { from_seq: first + 8, to_seq: first + 11, kind: 'missing', cause: 'disconnected' },
  ])
  expect(seqsOf(liveKalshi.id)).toEqual(all)
  expect(seqsOf(PERP)).toEqual(Array.from({ length: 12 }, (_, index) => fromMs / 500 + 1 + index))
  live.expectOnlyFrames()

  for (const [selector, name] of [
    [{ market: live5m.id }, live5m.id],
    [{ market: liveKalshi.id }, liveKalshi.id],
    [{ symbol: 'BTC' }, PERP],
  ] as const) {
    const past = await replayed(selector, fromMs + 1, toMs)
    for (const channel of CHANNELS) expect(unsent(past.of(channel))).toEqual(unsent(live.of(channel, name)))
  }
  await live.close()
})

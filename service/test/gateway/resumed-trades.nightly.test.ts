// Nightly: kills an engine.
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import { tapeBookRow } from '../http/tape-scene.ts'
import { GatewayScene } from './gateway-scene.ts'

let scene: GatewayScene

beforeAll(async () => {
  scene = await GatewayScene.open()
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

test('a stream of trades whose past can’t be read is closed with the reason, and the client may resume', async () => {
  const node = await scene.startNode()
  const startMs = WORLD_NOW_MS - 2_000
  const book = (slotMs: number) => ({ id: perpMarketId('hyperliquid', 'BTC'), row: tapeBookRow('BTC', slotMs) })
  const selectors = [{ symbol: 'BTC' }]
  const live = await scene.client(node)
  await live.ask({ op: 'subscribe', selectors, channels: ['book'] })
  await scene.publish({ perps: [book(startMs)] })
  await live.until(() => live.of('book').length > 0)
  await scene.stack.engine('clickhouse').kill()
  const back = await scene.client(node)
  const since = { 'hyperliquid_perp:BTC': startMs / 500 - 1 }
  await back.ask({ op: 'resume', selectors, channels: ['trade'], since })
  const giveUp = () => {
    scene.service.clock.nowMs += 1_000
    return back.closed
  }
  await vi.waitUntil(giveUp, { timeout: 120_000 })
  expect(await back.untilClosed()).toEqual({ code: 1001, reason: 'store_unavailable' })
  expect(back.frames.at(-1)).toMatchObject({ type: 'closing', reconnect: true, retry_after_ms: 1_000 })
  expect(back.frames.at(-1).message).toContain('Connect again and resume.')
  back.expectOnlyFrames()
  await scene.stack.engine('clickhouse').restart()
})

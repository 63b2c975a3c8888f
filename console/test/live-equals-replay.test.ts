import { Bookreel, type StreamEvent } from '@bookreel/sdk'
import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Node } from '../../service/test/gateway/gateway-node.ts'
import { GatewayScene } from '../../service/test/gateway/gateway-scene.ts'
import { gapAt, rowAt, slotNow } from '../../service/test/gateway/published-rows.ts'
import { FrameCache } from '../src/data/history/frame-cache.ts'
import { ReplayFeed } from '../src/data/history/replay-feed.ts'
import { MarketFeed } from '../src/data/stream/market-feed.ts'
import { HeatMapData } from '../src/views/heat-map/heat-map-data.ts'
import type { LiveColumnsForm } from '../src/views/heat-map/live-columns.ts'

const SLOTS = 240
const GAP = { first: 101, last: 119 }
const CACHE_BYTES = 10_000_000
const form = {
  intervalMs: 250,
  rows: 100,
  priceFrom: 0,
  priceStep: 0.01,
  scale: { unit: 0.01, stepsPerOctave: 7 },
  emptyBid: 0,
  emptyAsk: 1,
}
const LEVELS: readonly LiveColumnsForm[] = [4, 8, 16, 32, 64].map((slotsPerColumn) => ({ ...form, slotsPerColumn }))

let scene: GatewayScene
let node: Node

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
})
afterAll(() => scene?.[Symbol.asyncDispose]())

/** Everything that a ring has of these columns. */
function bytesOf(data: HeatMapData): unknown {
  return data.rings.map(({ bids, asks, stored, expected, suspect, bestBid, bestAsk }) => ({
    bids,
    asks,
    stored,
    expected,
    suspect,
    bestBid,
    bestAsk,
  }))
}

test.each(['up', 'down'] as const)('live and replay of a minute with a gap give the same rings: %s', async (side) => {
  const market = madeMarket(`a minute of ${side}`)
  await scene.list(market)
  const { key } = await scene.key('pro')
  const client = new Bookreel({ baseUrl: 'http://localhost', streamUrl: `${node.url}/v1/stream`, key })
  const what = { selectors: [{ market: market.id }], channels: ['book'], options: { mode: 'delta' } } as const
  // Whole columns on every level, so that none begins in the middle.
  const first = Math.floor(slotNow(market) / 64) * 64
  const last = first + SLOTS - 1
  const live = new HeatMapData(LEVELS)
  const feed = new MarketFeed({ side, levels: LEVELS, window: { market: market.id, fromMs: 0, toMs: WORLD_NOW_MS } })
  const stop = new AbortController()
  const isLive = Promise.withResolvers<void>()
  const isOver = Promise.withResolvers<void>()
  const reading = (async () => {
    for await (const event of client.stream(what, { signal: stop.signal })) {
      feed.apply(event)
      if (event.type === 'connected') isLive.resolve()
      if ('seq' in event && event.seq === last) isOver.resolve()
    }
  })()
  await isLive.promise
  for (let offset = 0; offset < SLOTS; offset++) {
    if (offset === GAP.last) await scene.publish({ gaps: [gapAt(market, first + GAP.first, first + GAP.last)] })
    if (offset < GAP.first || offset > GAP.last) await scene.publish({ rows: [rowAt(market, first + offset)] })
  }
  await isOver.promise
  stop.abort()
  await reading
  for (const { level, column } of feed.take()?.columns ?? []) live.join(level, column)

  const replayed = new HeatMapData(LEVELS)
  const cache = new FrameCache(CACHE_BYTES)
  const replay = new ReplayFeed(cache)
  replay.show(side, LEVELS)
  replay.restart(first)
  const range = { from: first * form.intervalMs, to: (last + 1) * form.intervalMs, speed: 'max' } as const
  const stored = SLOTS - (GAP.last - GAP.first + 1)
  await expect.poll(async () => (await client.replayDryRun({ ...what, ...range })).rows, PATIENCE).toBe(2 * stored)
  const events: StreamEvent[] = []
  for await (const event of client.replay({ ...what, ...range })) {
    events.push(event)
    replay.apply(event)
  }
  replay.complete(last)
  for (const { level, column } of replay.takeColumns()) replayed.join(level, column)
  expect(events.at(-1)).toMatchObject({ type: 'replay_ended', reason: 'complete' })
  // The rings have something to compare.
  expect(live.rings[0]?.stored.reduce((sum, count) => sum + count, 0)).toBe(stored)
  expect(bytesOf(replayed)).toEqual(bytesOf(live))
  // Nothing was skipped: each slot has its book, or is known to have none.
  expect(cache.firstUnknown(first)).toBe(last + 1)
  expect(cache.isMissing(first + GAP.first)).toBe(true)
})

const PATIENCE = { timeout: 120_000, interval: 200 }

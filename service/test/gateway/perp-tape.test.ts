import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { perpMarketId } from '../../src/domain/rows/perp-snapshot.ts'
import type { TapeRow } from '../../src/domain/rows/tape-row.ts'
import { contextRow, perpTradeRow, tapeBookRow } from '../http/tape-scene.ts'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import type { AnyFrame } from './stream-client.ts'

let scene: GatewayScene
let node: Node

const NAME = 'hyperliquid_perp:BTC'
const ID = perpMarketId('hyperliquid', 'BTC')
const START_MS = WORLD_NOW_MS - 2_000
const WHAT = { selectors: [{ symbol: 'BTC' }], channels: ['trade', 'context'] }

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

const tradeAt = (atMs: number): TapeRow => ({ kind: 'trade', row: perpTradeRow('BTC', atMs) })
const contextAt = (atMs: number): TapeRow => ({ kind: 'context', row: contextRow('BTC', atMs) })

/** Frames as they are live and in a replay: all but the time of sending. */
const contentOf = (frames: readonly AnyFrame[]) => frames.map((frame): AnyFrame => ({ ...frame, sent_at: 0 }))

test('trades and contexts of a perpetual future are streamed once each, and a replay and a resumed stream send the same', async () => {
  const startMs = START_MS
  const live = await scene.client(node)
  expect(await live.ask({ op: 'subscribe', ...WHAT })).toMatchObject({ rejected: [] })
  const told = [tradeAt(startMs + 10), contextAt(startMs + 20), tradeAt(startMs + 700), contextAt(startMs + 900)]
  const book = (slotMs: number) => ({ id: ID, row: tapeBookRow('BTC', slotMs) })
  await scene.publish({ tape: told.slice(0, 2), perps: [book(startMs + 500)] })
  // Published again, as after a takeover by another recorder.
  await scene.publish({ tape: told, perps: [book(startMs + 1_000)] })
  await live.until(() => live.of('trade').length + live.of('context').length >= 4)
  const [trades, contexts] = [live.of('trade'), live.of('context')]
  expect(contentOf(trades)).toEqual([
    {
      channel: 'trade',
      type: 'perp_trade',
      market: NAME,
      seq: startMs / 500,
      prev_seq: null,
      event_at: startMs + 10,
      received_at: startMs + 50,
      captured_at: startMs + 50,
      sent_at: 0,
      flags: [],
      trade_id: startMs + 10,
      action: 'sell',
      price: 0.21005,
      size: 150.5,
      transaction_hash: null,
    },
    expect.objectContaining({ trade_id: startMs + 700, prev_seq: startMs / 500 }),
  ])
  expect(contentOf(contexts)).toEqual([
    {
      channel: 'context',
      type: 'context',
      market: NAME,
      seq: startMs / 500,
      prev_seq: null,
      received_at: startMs + 20,
      captured_at: startMs + 20,
      sent_at: 0,
      funding_rate: -0.0000052974,
      premium: -0.0005540084,
      open_interest: 36295.80812,
      mark_price: 0.21,
      oracle_price: 0.2101,
      mid_price: 0.20995,
      impact_bid: 0.2099,
      impact_ask: 0.21,
      previous_day_price: 0.2,
      day_volume: 56265.69068,
      day_notional_usd: 4490636699.3287735,
    },
    expect.objectContaining({ received_at: startMs + 900, seq: startMs / 500 + 1 }),
  ])

  const perp = { venue: 'hyperliquid', symbol: 'BTC' }
  const range = { fromMs: startMs, toMs: startMs + 2_000 }
  const stored = () => scene.stores.perpTape.contexts({ ...perp, ...range }, { order: 'asc', limit: 9 })
  await expect.poll(async () => (await stored()).length).toBe(2)
  const past = await scene.client(node)
  const ack = await past.ask({ op: 'replay', ...WHAT, from: startMs, to: startMs + 1_500, speed: 'max' })
  expect(ack.replay.rows).toBeGreaterThanOrEqual(4)
  await past.until(() => past.frames.some(({ type }) => type === 'replay_ended'))
  expect(contentOf(past.of('trade'))).toEqual(contentOf(trades))
  expect(contentOf(past.of('context'))).toEqual(contentOf(contexts))
  expect(past.frames.find(({ type }) => type === 'replay_ended')).toMatchObject({ reason: 'complete', rows: 4 })

  const back = await scene.client(node)
  await back.ask({ op: 'resume', ...WHAT, since: { [NAME]: startMs / 500 - 1 } })
  // No books are recorded in this test: the slots without them are told, because nobody knows what happened in them.
  const framesOf = (channel: string) => back.of(channel).filter(({ type }) => type !== 'skipped')
  const untilAllTold = expect.poll(() => {
    scene.service.clock.nowMs += 1_000
    return framesOf('trade').length + framesOf('context').length
  })
  await untilAllTold.toBe(4)
  expect(contentOf(framesOf('trade'))).toEqual(contentOf(trades))
  expect(contentOf(framesOf('context'))).toEqual(contentOf(contexts))
})

test('a replay of one channel reads and charges only that channel', async () => {
  const startMs = START_MS - 3_600_000
  await scene.publish({ tape: [tradeAt(startMs), contextAt(startMs + 10), contextAt(startMs + 20)] })
  const perp = { venue: 'hyperliquid', symbol: 'BTC', fromMs: startMs, toMs: startMs + 1_000 }
  const stored = () => scene.stores.perpTape.contexts(perp, { order: 'asc', limit: 9 })
  await expect.poll(async () => (await stored()).length).toBe(2)
  const client = await scene.client(node)
  const rowsOf = async (channels: readonly string[]) => {
    const replay = { selectors: [{ symbol: 'BTC' }], from: startMs, to: startMs + 1_000, dry_run: true, channels }
    return (await client.ask({ op: 'replay', ...replay })).replay.rows
  }
  expect([await rowsOf(['trade']), await rowsOf(['context']), await rowsOf(['trade', 'context'])]).toEqual([1, 2, 3])
})

test('the channels of a perpetual future need a tier with the live exchange book', async () => {
  const client = await scene.client(node, 'pro')
  for (const more of [{ op: 'subscribe' }, { op: 'replay', from: START_MS - 3_600_000, to: START_MS }])
    expect((await client.ask({ ...WHAT, ...more })).rejected[0]).toMatchObject({ reason: 'tier_not_allowed' })
})

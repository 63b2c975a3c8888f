import { madeMarket, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { rowAt, rowsAt, slotNow } from './published-rows.ts'
import type { StreamClient } from './stream-client.ts'

const MINUTE_MS = 60_000
const window = (name: string, startsAtMs: number, endsAtMs: number) =>
  madeMarket(name, { subcategory: 'DOGE', timeframe: '15m', slug: `stream-${name}`, startsAtMs, endsAtMs })
const open = window('open', WORLD_NOW_MS - MINUTE_MS, WORLD_NOW_MS + 60 * MINUTE_MS)
const settling = window('settling', WORLD_NOW_MS - 16 * MINUTE_MS, WORLD_NOW_MS - MINUTE_MS)
const closed = window('closed', WORLD_NOW_MS - 60 * MINUTE_MS, WORLD_NOW_MS - 45 * MINUTE_MS)
const forgotten = window('forgotten', WORLD_NOW_MS - 120 * MINUTE_MS, WORLD_NOW_MS - 105 * MINUTE_MS)
const rowsOnly = madeMarket('stream rows only')

let scene: GatewayScene
let node: Node
let client: StreamClient

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
  await scene.list(open, settling, closed)
  await scene.stores.markets.saveResolutions([{ marketId: closed.id, winner: 0, resolvedAtMs: WORLD_NOW_MS }])
  await scene.list()
  await storeFacts(scene.service, [forgotten])
  const slot = Math.floor((forgotten.startsAtMs ?? 0) / forgotten.captureIntervalMs) + 4
  await scene.storeOnly({ rows: [...rowsAt(forgotten, slot, slot + 3), ...rowsAt(rowsOnly, slot, slot + 3)] })
  client = await scene.client(node)
}, 360_000)

afterAll(async () => {
  await client?.close()
  await scene?.[Symbol.asyncDispose]()
})

test.each([
  ['its exact slug', open.slug, 'exact', open.id],
  ['a time within the window', `doge-updown-15m-${WORLD_NOW_MS}`, 'window_at_time', open.id],
  ['a time that no window contains', 'doge-updown-15m-0', 'current_window', open.id],
  ['the start of its slug', 'stream-ope', 'prefix', open.id],
])('a slug selects one market as over REST: %s', async (_, slug, matchedBy, id) => {
  const selectors = [{ slug }]
  const { accepted } = await client.ask({ op: 'subscribe', selectors, channels: ['bbo'] })
  expect(accepted).toEqual([
    { selector: { slug }, channel: 'bbo', markets: [id], venues: ['polymarket'], matched_by: matchedBy },
  ])
  await client.ask({ op: 'unsubscribe', selectors })
})

test.each([closed.slug, `doge-updown-15m-${closed.startsAtMs}`, forgotten.slug, rowsOnly.id])(
  'a market that has ended is not streamed: %s',
  async (name) => {
    const selectors = [name === rowsOnly.id ? { market: name } : { slug: name }]
    const { rejected } = await client.ask({ op: 'subscribe', selectors })
    expect(rejected).toMatchObject([{ reason: 'market_closed' }])
  },
)

test('a market is streamed after its end, until its outcome is known', async () => {
  const selectors = [{ slug: settling.slug }]
  expect((await client.ask({ op: 'subscribe', selectors })).accepted).toMatchObject([{ markets: [settling.id] }])
  const slot = slotNow(settling)
  await scene.publish({ rows: [rowAt(settling, slot)] })
  await client.seq('book', settling.id, slot)
  await client.ask({ op: 'unsubscribe', selectors })
})

test.each([
  ['by slug', { slug: forgotten.slug }, forgotten.id],
  ['by its token', { token: forgotten.tokenIds[1] }, forgotten.id],
  ['as a window of its series', { coin: 'DOGE', timeframe: '15m' }, forgotten.id],
  ['that only rows know', { market: rowsOnly.id }, rowsOnly.id],
])('a market without a metadata row is replayed: %s', async (_, selector, id) => {
  const range = { from: forgotten.startsAtMs ?? 0, to: forgotten.endsAtMs }
  const ack = await client.ask({ op: 'replay', selectors: [selector], ...range, dry_run: true })
  expect(ack.accepted).toMatchObject([{ markets: [id] }])
  expect(ack.replay).toMatchObject({ rows: 8, markets: 1 })
})

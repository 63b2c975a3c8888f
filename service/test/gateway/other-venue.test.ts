import { madeMarket, storeFacts } from '@bookreel/testbed/service/stored-markets'
import { WORLD_NOW_MS } from '@bookreel/testbed/world/world-times'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { rowAt, rowsAt, slotNow } from './published-rows.ts'
import type { StreamClient } from './stream-client.ts'

const MINUTE_MS = 60_000
const window = (name: string, venue: string, agoMs: number, changed = {}) => {
  const startsAtMs = WORLD_NOW_MS - agoMs - MINUTE_MS
  const times = { startsAtMs, endsAtMs: startsAtMs + 15 * MINUTE_MS }
  return madeMarket(name, { venue, subcategory: 'DOGE', timeframe: '15m', slug: name, ...times, ...changed })
}
const ours = window('stream-ours', 'polymarket', 0)
/** It ends before ours, so that a lookup without a venue would find it first. */
const theirs = window('kx-1', 'kalshi', MINUTE_MS, { tokenIds: ['KX-1:yes', 'KX-1:no'] })
const past = window('stream-past', 'polymarket', 60 * MINUTE_MS)
const theirPast = window('kx-0', 'kalshi', 60 * MINUTE_MS, { tokenIds: ['KX-0:yes', 'KX-0:no'] })

let scene: GatewayScene
let node: Node
let client: StreamClient

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
  await scene.list(ours, theirs)
  await storeFacts(scene.service, [past, theirPast])
  const slot = Math.floor((past.startsAtMs ?? 0) / past.captureIntervalMs) + 4
  await scene.storeOnly({ rows: [past, theirPast].flatMap((market) => rowsAt(market, slot, slot + 3)) })
  client = await scene.client(node)
}, 360_000)

afterAll(async () => {
  await client?.close()
  await scene?.[Symbol.asyncDispose]()
})

const SERIES = { coin: 'DOGE', timeframe: '15m' }
const [OURS, THEIRS] = [[ours.id], [theirs.id]]
const BOTH = [theirs.id, ours.id]

test.each([
  [SERIES, OURS, ['polymarket']],
  [{ ...SERIES, venue: 'polymarket' }, OURS, ['polymarket']],
  [{ ...SERIES, venue: 'kalshi' }, THEIRS, ['kalshi']],
  [{ ...SERIES, venue: 'all' }, BOTH, ['kalshi', 'polymarket']],
  [{ slug: 'doge-updown-15m' }, OURS, ['polymarket']],
  [{ slug: 'doge-updown-15m', venue: 'kalshi' }, THEIRS, ['kalshi']],
  [{ slug: 'kx-1', venue: 'kalshi' }, THEIRS, ['kalshi']],
  [{ slug: 'kx-1', venue: 'all' }, THEIRS, ['kalshi']],
  [{ category: 'crypto' }, OURS, ['polymarket']],
  [{ category: 'crypto', venue: 'kalshi' }, THEIRS, ['kalshi']],
  [{ category: 'crypto', venue: 'all' }, BOTH, ['kalshi', 'polymarket']],
  [{ token: 'KX-1:yes' }, THEIRS, ['kalshi']],
  [{ token: 'KX-1:no' }, THEIRS, ['kalshi']],
  [{ market: theirs.id }, THEIRS, ['kalshi']],
])('a selector has markets of its venue: %j', async (selector, markets, venues) => {
  const { accepted } = await client.ask({ op: 'subscribe', selectors: [selector], channels: ['bbo'] })
  expect(accepted).toMatchObject([{ selector, markets, venues }])
  await client.ask({ op: 'unsubscribe', selectors: [selector] })
})

test('a slug of another venue is not found by default, and a venue that does not exist is refused', async () => {
  const { rejected } = await client.ask({ op: 'subscribe', selectors: [{ slug: 'kx-1' }] })
  expect(rejected).toMatchObject([{ reason: 'slug_not_found' }])
  const wrong = [{ slug: 'kx-1', venue: 'other' }, { token: 'KX 1:yes' }, { token: `${'K'.repeat(101)}:yes` }]
  for (const selector of [...wrong, { token: 'KX-1:maybe' }, { token: theirs.id, venue: 'kalshi' }]) {
    expect(await client.ask({ op: 'subscribe', selectors: [selector] })).toMatchObject({
      type: 'error',
      code: 'invalid_request',
    })
  }
})

test.each([
  [SERIES, [past.id]],
  [{ ...SERIES, venue: 'kalshi' }, [theirPast.id]],
  [{ ...SERIES, venue: 'all' }, [past.id, theirPast.id]],
  [{ slug: 'kx-0', venue: 'kalshi' }, [theirPast.id]],
  [{ token: 'KX-0:no' }, [theirPast.id]],
])('a replay has windows of its venue: %j', async (selector, markets) => {
  const range = { from: past.startsAtMs ?? 0, to: past.endsAtMs }
  const ack = await client.ask({ op: 'replay', selectors: [selector], ...range, dry_run: true })
  expect(ack.accepted[0].markets.toSorted()).toEqual(markets.toSorted())
  expect(ack.replay).toMatchObject({ markets: markets.length })
})

test('the first frame of a book tells its venue; a proof by sequence is not called verified', async () => {
  const options = { mode: 'delta' }
  const selectors = [{ ...SERIES, venue: 'all' }]
  await client.ask({ op: 'subscribe', selectors, options })
  const slot = slotNow(theirs)
  for (const market of [ours, theirs]) {
    await scene.publish({ rows: [rowAt(market, slot), rowAt(market, slot + 1)] })
    await client.seq('book', market.id, slot + 1)
    const [first, second] = client.of('book', market.id)
    expect(first).toMatchObject({ type: 'snapshot', venue: market.venue })
    expect(second).not.toHaveProperty('venue')
    expect(first?.flags.includes('verified_up')).toBe(market === ours)
    expect(first?.flags).toContain('unverified_down')
  }
  await client.ask({ op: 'unsubscribe', selectors })
  client.expectOnlyFrames()
})

test('each venue has its own next window', async () => {
  const endsAtMs = scene.service.nowMs() + 15_000
  const next = (name: string, venue: string) => [
    window(`${name}-1`, venue, 0, { subcategory: 'ZEC', endsAtMs }),
    window(`${name}-2`, venue, 0, { subcategory: 'ZEC', startsAtMs: endsAtMs, endsAtMs: endsAtMs + 900_000 }),
  ]
  const [first, second, theirFirst, theirSecond] = [...next('zec', 'polymarket'), ...next('kx-zec', 'kalshi')]
  if (!first || !second || !theirFirst || !theirSecond) throw new Error('four windows')
  await scene.list(first, second, theirFirst, theirSecond)
  const every = await scene.client(node)
  const series = { coin: 'ZEC', timeframe: '15m' }
  const selectors = [{ ...series, venue: 'all' }]
  const { accepted } = await every.ask({ op: 'subscribe', selectors, channels: ['market'] })
  expect(accepted[0].markets.toSorted()).toEqual([first.id, theirFirst.id].toSorted())
  await client.ask({ op: 'subscribe', selectors: [series], channels: ['market'] })
  scene.service.clock.nowMs = endsAtMs
  node.updateMarkets()
  for (const [one, other] of [
    [first, second],
    [theirFirst, theirSecond],
  ] as const) {
    const rolled = await every.until(({ type, market }) => type === 'rolled' && market === other.id)
    expect(rolled).toMatchObject({ previous: one.id, venue: other.venue, slug: other.slug })
  }
  await client.until(({ type, market }) => type === 'rolled' && market === second.id)
  expect(client.of('market').filter(({ type }) => type === 'rolled')).toHaveLength(1)
  every.expectOnlyFrames()
  await every.close()
})

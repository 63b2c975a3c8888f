import { madeMarket } from '@bookreel/testbed/service/stored-markets'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyDelta, bookOf, type WireBook } from './applied-book.ts'
import type { Node } from './gateway-node.ts'
import { GatewayScene } from './gateway-scene.ts'
import { gapAt, rowAt, rowsAt, slotNow, tradeAt } from './published-rows.ts'
import type { AnyFrame } from './stream-client.ts'

let scene: GatewayScene
let node: Node
const markets = ['one', 'two', 'three', 'four'].map((name) => madeMarket(`live ${name}`))

beforeAll(async () => {
  scene = await GatewayScene.open()
  node = await scene.startNode()
  await scene.list(...markets)
})
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]()
})

function market(index: number): ReturnType<typeof madeMarket> {
  const found = markets[index]
  if (found === undefined) throw new Error('no such market')
  return found
}

describe('a subscription', () => {
  test('sends every slot once and in order, changed or not, each with the number before it', async () => {
    const it = market(0)
    const client = await scene.client(node)
    const ack = await client.ask({ op: 'subscribe', selectors: [{ market: it.id }] })
    expect(ack.accepted).toEqual([
      { selector: { market: it.id }, channel: 'book', markets: [it.id], venues: ['polymarket'] },
    ])
    expect(ack.limits).toEqual({ subscriptions: 10_000, used: 1, messages_per_second: 20 })
    const from = slotNow(it)
    await scene.publish({ rows: rowsAt(it, from, from) })
    // A repeated or older slot is not sent again.
    await scene.publish({ rows: [rowAt(it, from)] })
    for (let slot = from + 1; slot < from + 6; slot++) await scene.publish({ rows: [rowAt(it, slot)] })
    await scene.publish({ rows: [rowAt(it, from + 2)] })
    await client.seq('book', it.id, from + 5)
    const frames = client.of('book')
    expect(frames.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5].map((step) => from + step))
    expect(frames.map(({ prev_seq: before }) => before)).toEqual([null, ...frames.slice(0, -1).map(({ seq }) => seq)])
    const row = rowAt(it, from + 5)
    expect(frames[5]).toMatchObject({
      type: 'snapshot',
      market: it.id,
      event_at: row.eventAtMs,
      received_at: row.receivedAtMs,
      captured_at: row.capturedAtMs,
      flags: expect.arrayContaining(['verified_up', 'unverified_down']),
      proof: 'hash',
      up: { bids: pairsOf(row.up.bids), asks: pairsOf(row.up.asks) },
      down: { bids: pairsOf(row.down.bids), asks: pairsOf(row.down.asks) },
    })
    client.expectOnlyFrames()
    await client.close()
  })

  test('limited in depth, at a longer interval, or as changes, has the same rows', async () => {
    const it = market(1)
    const client = await scene.client(node)
    const selectors = [{ token: it.tokenIds[1] }]
    const whole = await scene.client(node)
    await whole.ask({ op: 'subscribe', selectors: [{ slug: it.slug }], channels: ['book', 'bbo'] })
    await client.ask({ op: 'subscribe', selectors, options: { depth: 3, mode: 'delta', interval_ms: 600 } })
    const from = Math.ceil(slotNow(it) / 3) * 3
    for (let slot = from; slot <= from + 30; slot++) await scene.publish({ rows: [rowAt(it, slot)] })
    await client.seq('book', it.id, from + 30)
    await whole.seq('book', it.id, from + 30)
    // 600 ms is rounded up to three slots of 250 ms.
    const frames = client.of('book')
    expect(frames.map(({ seq }) => seq)).toEqual(Array.from({ length: 11 }, (_, index) => from + index * 3))
    expect(frames.map(({ type }) => type)).toEqual(['snapshot', ...Array.from({ length: 10 }, () => 'delta')])
    const books = new Map(whole.of('book').map((frame) => [frame.seq, bookOf(frame)]))
    let book: WireBook | undefined
    for (const frame of frames) {
      book = frame.type === 'snapshot' ? bookOf(frame) : applyDelta(book, frame)
      expect(book).toEqual(cut(books.get(frame.seq), 3))
    }
    // Best prices are sent only when they change.
    const touches = whole.of('bbo')
    const changed = whole
      .of('book')
      .filter((frame, index, all) => JSON.stringify(touchOf(frame)) !== JSON.stringify(touchOf(all[index - 1])))
    expect(touches.map(({ seq }) => seq)).toEqual(changed.map(({ seq }) => seq))
    expect(touches.map(({ up }) => [up.bid, up.bid_size, up.ask, up.ask_size])).toEqual(
      changed.map((frame) => touchOf(frame).slice(0, 4)),
    )
    for (const each of [client, whole]) each.expectOnlyFrames()
    await Promise.all([client.close(), whole.close()])
  })

  test('is refused in part where a market is unknown, not in the tier, or already subscribed', async () => {
    const client = await scene.client(node, 'pro')
    const it = market(0)
    await client.ask({ op: 'subscribe', selectors: [{ market: it.id }] })
    const ack = await client.ask({
      op: 'subscribe',
      selectors: [
        { market: it.id },
        { market: `0x${'00'.repeat(32)}` },
        { slug: 'no such slug' },
        { symbol: 'BTC' },
        { coin: 'ZZZ', timeframe: '5m' },
      ],
      channels: ['book', 'trade'],
    })
    expect(ack.accepted.map(({ channel, markets }: AnyFrame) => [channel, markets])).toEqual([['trade', [it.id]]])
    expect(ack.rejected.map(({ reason, channel }: AnyFrame) => `${channel} ${reason}`)).toEqual([
      'book already_subscribed',
      'book market_not_found',
      'trade market_not_found',
      'book slug_not_found',
      'trade slug_not_found',
      'book tier_not_allowed',
      'trade tier_not_allowed',
      'book invalid_request',
      'trade invalid_request',
    ])
    expect(ack.rejected.at(-1).message).toBe('coin must be one of BTC, ETH, SOL, XRP, DOGE, BNB, HYPE, ZEC, got "ZZZ"')
    const busy = await client.ask({
      op: 'replay',
      selectors: [{ market: it.id }],
      from: scene.service.nowMs() - 60_000,
      to: scene.service.nowMs(),
    })
    expect(busy).toMatchObject({ type: 'error', code: 'busy' })
    const left = await client.ask({ op: 'unsubscribe', selectors: [{ market: it.id }], channels: ['book'] })
    expect(left.limits.used).toBe(1)
    expect((await client.ask({ op: 'unsubscribe' })).limits.used).toBe(0)
    client.expectOnlyFrames()
    await client.close()
  })

  test('sends each trade once, and announces when a market becomes dark and live again', async () => {
    const it = market(2)
    const client = await scene.client(node)
    await client.ask({ op: 'subscribe', selectors: [{ market: it.id }], channels: ['trade', 'status', 'book'] })
    const from = slotNow(it)
    const trades = [1, 2, 3].map((number) => tradeAt(it, from * 250 + number, number))
    await scene.publish({ rows: [rowAt(it, from)], trades })
    await scene.publish({ gaps: [gapAt(it, from + 1, from + 1)], trades })
    await scene.publish({ gaps: [gapAt(it, from + 1, from + 3)] })
    await scene.publish({
      rows: [rowAt(it, from + 4)],
      gaps: [gapAt(it, from - 2, from, { kind: 'suspect', cause: 'hash_mismatch', knownAtSlot: from + 1 })],
    })
    await client.seq('book', it.id, from + 4)
    expect(
      client.of('trade').map(({ seq, prev_seq: before, price, side, action }) => [seq, before, price, side, action]),
    ).toEqual([
      [from, null, 0.4201, 'DOWN', 'sell'],
      [from, from, 0.4202, 'UP', 'sell'],
      [from, from, 0.4203, 'DOWN', 'buy'],
    ])
    expect(client.of('status').map(({ type, since_seq: since, cause }) => [type, since, cause])).toEqual([
      ['dark', from + 1, 'disconnected'],
      ['live', from + 4, undefined],
    ])
    expect(
      client
        .of('book')
        .map(({ type, seq, from_seq: first, to_seq: last, kind, cause }) => [type, seq ?? first, last, kind, cause]),
    ).toEqual([
      ['snapshot', from, undefined, undefined, undefined],
      ['gap', from - 2, from, 'suspect', 'hash_mismatch'],
      ['gap', from + 1, from + 3, 'missing', 'disconnected'],
      ['snapshot', from + 4, undefined, undefined, undefined],
    ])
    client.expectOnlyFrames()
    await client.close()
  })

  test('reads missed rows from the store, and later rows wait for them', async () => {
    const it = market(3)
    const client = await scene.client(node)
    await client.ask({ op: 'subscribe', selectors: [{ market: it.id }] })
    const from = slotNow(it)
    await scene.publish({ rows: [rowAt(it, from)] })
    await client.seq('book', it.id, from)
    await scene.publish({ rows: [rowAt(it, from + 6)] })
    await scene.publish({ rows: [rowAt(it, from + 7)] })
    await scene.storeOnly({
      rows: rowsAt(it, from + 1, from + 3),
      gaps: [gapAt(it, from + 4, from + 5, { cause: 'resync' })],
    })
    await client.seq('book', it.id, from + 7)
    expect(client.of('book').map(({ seq, from_seq: first, cause }) => seq ?? `${first} ${cause}`)).toEqual([
      from,
      from + 1,
      from + 2,
      from + 3,
      `${from + 4} resync`,
      from + 6,
      from + 7,
    ])
    expect(await node.registry.getSingleMetricAsString('gateway_holes_total')).toContain('outcome="healed"')
    await client.close()
  })

  test('of a coin continues with the next window by itself', async () => {
    const nowMs = scene.service.nowMs()
    const endsAtMs = nowMs + 20_000
    const window = { subcategory: 'DOGE', timeframe: '15m' }
    const first = madeMarket('window one', { ...window, startsAtMs: nowMs - 60_000, endsAtMs })
    const second = madeMarket('window two', { ...window, startsAtMs: endsAtMs, endsAtMs: endsAtMs + 900_000 })
    await scene.list(first, second)
    const client = await scene.client(node)
    const selector = { coin: 'doge', timeframe: '15m' }
    const ack = await client.ask({ op: 'subscribe', selectors: [selector], channels: ['book', 'market'] })
    expect(ack.accepted[0].markets).toEqual([first.id])
    const bySlug = await scene.client(node)
    const series = { slug: 'doge-updown-15m' }
    const sameWindow = await bySlug.ask({ op: 'subscribe', selectors: [series] })
    expect(sameWindow.accepted[0]).toMatchObject({ selector: series, markets: [first.id] })
    const from = slotNow(first)
    await scene.publish({ rows: [rowAt(first, from), rowAt(second, from)] })
    node.updateMarkets()
    scene.service.clock.nowMs = endsAtMs
    node.updateMarkets()
    const rolled = await client.until(({ type }) => type === 'rolled')
    expect(rolled).toMatchObject({
      channel: 'market',
      market: second.id,
      previous: first.id,
      selector,
      slug: second.slug,
    })
    await client.until(({ type, market: id }) => type === 'settled' && id === first.id)
    await scene.publish({ rows: [rowAt(first, from + 1), rowAt(second, from + 1)] })
    for (const { id } of [first, second]) await client.seq('book', id, from + 1)
    expect(client.of('book', second.id).map(({ seq }) => seq)).toEqual([from + 1])
    // Rows within five seconds of the end are still sent.
    expect(client.of('book', first.id).map(({ seq }) => seq)).toEqual([from, from + 1])
    expect(client.of('market').filter(({ type }) => type === 'rolled')).toHaveLength(1)
    const next = await bySlug.until(({ type }) => type === 'rolled')
    expect(next).toMatchObject({ market: second.id, previous: first.id, selector: series })
    for (const each of [client, bySlug]) each.expectOnlyFrames()
    await Promise.all([client.close(), bySlug.close()])
  })

  test('of a category includes markets that open later', async () => {
    const sport = { category: 'sports', subcategory: 'NBA', timeframe: 'game', planId: 'sports' } as const
    const game = madeMarket('game one', sport)
    await scene.list(game)
    const client = await scene.client(node)
    const ack = await client.ask({ op: 'subscribe', selectors: [{ category: 'sports' }], channels: ['book', 'market'] })
    expect(ack.accepted[0].markets).toEqual([game.id])
    const later = madeMarket('game two', sport)
    await scene.list(later)
    await client.until(({ type, market: id }) => type === 'opened' && id === later.id)
    const from = slotNow(later)
    await scene.publish({ rows: [rowAt(game, from), rowAt(later, from)] })
    await client.seq('book', later.id, from)
    await client.seq('book', game.id, from)
    await scene.resolve(game.id, 1)
    const resolved = await client.until(({ type }) => type === 'resolved')
    expect(resolved).toMatchObject({ channel: 'market', market: game.id, slug: game.slug, outcome: 'DOWN' })
    // The ended market was unsubscribed by itself; the other one stays.
    expect((await client.ask({ op: 'subscribe', selectors: [{ symbol: 'btc' }] })).limits.used).toBe(3)
    client.expectOnlyFrames()
    await client.close()
  })
})

function pairsOf(levels: readonly { price: number; size: number }[]): [number, number][] {
  return levels.map(({ price, size }) => [price / 10_000, size / 1_000_000])
}

function cut(book: WireBook | undefined, depth: number): WireBook {
  return (book ?? []).map((levels) => levels.slice(0, depth))
}

function touchOf(frame: AnyFrame): number[] {
  if (frame === undefined) return []
  return [frame.up, frame.down].flatMap(({ bids, asks }) => [...(bids[0] ?? [0, 0]), ...(asks[0] ?? [1, 0])])
}

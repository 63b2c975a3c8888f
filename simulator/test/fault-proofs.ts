import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { FaultName } from '../src/faults/fault-list.ts'
import { isChange, type Scene } from './fault-scene.ts'
import { KALSHI_FAULT_PROOFS } from './kalshi/kalshi-fault-proofs.ts'
import { hotMarket, otherHotMarket } from './open-simulator.ts'
import { connectionsOf, deedsOf, switchOff } from './switch-fault.ts'
import { type JsonFrame, TestClient } from './test-client.ts'

const restStatus = async (url: string): Promise<number> => (await fetch(url)).status

interface Page {
  markets: { id: string }[]
  next_cursor?: string
}

const idsOf = ({ markets }: Page): string[] => markets.map(({ id }) => id)

/** The type makes a fault without a visible proof a compile error. */
export const FAULT_PROOFS: Record<FaultName, (scene: Scene) => Promise<void>> = {
  ...KALSHI_FAULT_PROOFS,
  async mute({ client, on }) {
    await on('mute')
    await client.roundTrip()
    const held = client.frames.length
    for (let count = 0; count < 20; count++) await client.roundTrip()
    expect(client.frames.slice(held).every(({ text }) => text === 'PONG')).toBe(true)
    expect(client.frames.length - held).toBe(20)
  },
  async 'half-open'({ simulator, client, on }) {
    const id = await on('half-open')
    const held = client.frames.length
    client.send('PING')
    await expect
      .poll(async () => (await deedsOf(simulator, 'half-open')).length, { timeout: 120_000 })
      .toBeGreaterThan(5)
    expect(client.frames.slice(held).some(({ text }) => text === 'PONG')).toBe(false)
    await switchOff(simulator, id)
    await client.roundTrip()
  },
  async freeze({ simulator, client, on }) {
    const id = await on('freeze')
    await client.roundTrip()
    const held = client.frames.length
    await expect.poll(async () => (await deedsOf(simulator, 'freeze')).length).toBeGreaterThan(10)
    await client.roundTrip()
    expect(client.frames.slice(held).filter(isChange)).toEqual([])
    const thawedAtMs = simulator.world.nowMs
    await switchOff(simulator, id)
    // The number of changes that were held back depends on the market.
    const isHeldBack = (frame: JsonFrame): boolean => isChange(frame) && Number(frame.json.timestamp) < thawedAtMs
    await client.frame('a change that was held back', isHeldBack, held)
  },
  async drop({ simulator, market, client, on }) {
    await on('drop', { rate: 0.5 })
    await expect.poll(async () => (await deedsOf(simulator, 'drop')).length).toBeGreaterThan(6)
    const deeds = await deedsOf(simulator, 'drop')
    expect(deeds.at(-1)?.market).toBe(market.conditionId)
    await client.frame('some change all the same', isChange, client.frames.length)
  },
  async duplicate({ client, on }) {
    await on('duplicate')
    await client.frame(
      'twin',
      (frame) => isChange(frame) && client.frames[client.frames.indexOf(frame) - 1]?.text === frame.text,
    )
  },
  async reorder({ simulator, client, on }) {
    await on('reorder', { rate: 0.3 })
    await expect.poll(async () => (await deedsOf(simulator, 'reorder')).length).toBeGreaterThan(5)
    await client.roundTrip()
    const stamps = client.frames.filter(isChange).map(({ json }) => Number(json.timestamp))
    expect(stamps).not.toEqual(stamps.toSorted((one, other) => one - other))
  },
  async corrupt({ client, on }) {
    await on('corrupt', { times: 3 })
    await client.frame('broken frame', ({ text, json }) => text.startsWith('{') && json === undefined)
  },
  async 'wrong-hash'({ simulator, market, client, on }) {
    await on('wrong-hash')
    const { json } = await client.frame('change', isChange, client.frames.length + 1)
    const entry = json.price_changes.find(({ asset_id }: { asset_id: string }) => asset_id === market.tokenIds[0])
    const book = (await (await fetch(`${simulator.addresses.clob}/book?token_id=${market.tokenIds[0]}`)).json()) as {
      hash: string
    }
    expect(entry.hash).toMatch(/^[01][0-9a-f]{39}$/)
    expect(entry.hash).not.toBe(book.hash)
  },
  async 'wrong-echo'({ client, on }) {
    await on('wrong-echo')
    await client.frame('wrong echo', ({ json }) => json?.price_changes?.[0].best_bid === '0.4242')
  },
  async 'wrong-size'({ market, client, on, simulator }) {
    const other = await TestClient.open(simulator.addresses.marketSocket)
    other.subscribe(market.tokenIds)
    await other.frame('first books', ({ json }) => Array.isArray(json))
    const [, second] = [...(await connectionsOf(simulator))]
    await on('wrong-size', { target: { connection: second } })
    const bent = await other.frame(
      'change',
      (frame) => isChange(frame) && frame.json.price_changes[0].size !== '0',
      other.frames.length + 1,
    )
    const { hash } = bent.json.price_changes[0]
    const price = bent.json.price_changes[0].price
    const true_ = await client.frame(
      'the same change',
      ({ json }) => json?.price_changes?.[0].hash === hash && json.price_changes[0].price === price,
    )
    expect(bent.json.price_changes[0].size).toBe(`${true_.json.price_changes[0].size}1`)
  },
  async 'unknown-event'({ client, on }) {
    await on('unknown-event')
    await client.event('order_book_vibe')
  },
  async 'unknown-keys'({ client, on }) {
    await on('unknown-keys')
    await client.frame(
      'change with a new key',
      (frame) => isChange(frame) && frame.json.since_the_last_release === 'yes',
    )
  },
  async 'noise-text'({ client, on }) {
    await on('noise-text')
    await client.frame('text', ({ text }) => text === 'NO NEW ASSETS')
  },
  async 'empty-array'({ client, on }) {
    await on('empty-array')
    await client.frame('empty array', ({ text }) => text === '[]\n')
  },
  async 'hash-rule-change'({ simulator, market, on }) {
    const bookOf = async () =>
      (await fetch(`${simulator.addresses.clob}/book?token_id=${market.tokenIds[0]}`))
        .text()
        .then((text) => text.trim())
    const hashIn = (text: string): string => /"hash":"([^"]*)"/.exec(text)?.[1] ?? ''
    const hashOf = (text: string): string =>
      createHash('sha1')
        .update(text.replace(hashIn(text), ''))
        .digest('hex')
    const id = await on('hash-rule-change', { options: { rule: 1 } })
    const longer = await bookOf()
    expect(longer).toMatch(/,"min_price":"0.001"}$/)
    expect(hashIn(longer)).toBe(hashOf(longer))
    await switchOff(simulator, id)
    await on('hash-rule-change', { options: { rule: 2 } })
    const shorter = await bookOf()
    expect(shorter).not.toContain('last_trade_price')
    expect(hashIn(shorter)).toBe(hashOf(shorter))
  },
  async 'omit-change'({ simulator, client, on }) {
    await on('omit-change', { times: 3 })
    await expect.poll(async () => (await deedsOf(simulator, 'omit-change')).length).toBe(5)
    const held = client.frames.length
    await client.frame('a change all the same', isChange, held)
  },
  async 'stray-market'({ market, client, on }) {
    await on('stray-market')
    await client.frame(
      'change of another market',
      (frame) => isChange(frame) && frame.json.market !== market.conditionId,
    )
  },
  async 'no-first-book'({ simulator, on }) {
    await on('no-first-book')
    const late = await TestClient.open(simulator.addresses.marketSocket)
    late.subscribe(hotMarket(simulator).tokenIds)
    await late.frame('change', isChange)
    expect(late.frames.some(({ json }) => Array.isArray(json))).toBe(false)
  },
  async 'late-first-book'({ simulator, on }) {
    await on('late-first-book', { options: { delayMs: 2_000 } })
    const late = await TestClient.open(simulator.addresses.marketSocket)
    late.subscribe(hotMarket(simulator).tokenIds)
    const change = await late.frame('change', isChange)
    const book = await late.frame('first book', ({ json }) => Array.isArray(json))
    expect(late.frames.indexOf(change)).toBeLessThan(late.frames.indexOf(book))
  },
  async 'ignore-later-subscribes'({ simulator, client, on }) {
    await on('ignore-later-subscribes')
    const other = otherHotMarket(simulator)
    client.send({ assets_ids: other.tokenIds, operation: 'subscribe' })
    await client.frame('change', isChange, client.frames.length + 10)
    expect(client.frames.some(({ text }) => text.includes(other.conditionId))).toBe(false)
  },
  async 'stale-perp-book'({ simulator, on }) {
    await on('stale-perp-book', { target: { market: 'BTC' } })
    const perps = await TestClient.open(simulator.addresses.perpSocket)
    for (const coin of ['BTC', 'ETH'])
      perps.send({ method: 'subscribe', subscription: { type: 'l2Book', coin, fast: true } })
    const booksOf = (coin: string) =>
      perps.frames.filter(({ json }) => json.channel === 'l2Book' && json.data.coin === coin)
    await expect.poll(() => booksOf('ETH').length).toBeGreaterThanOrEqual(3)
    expect(new Set(booksOf('BTC').map(({ text }) => text)).size).toBe(1)
    expect(new Set(booksOf('ETH').map(({ json }) => json.data.time)).size).toBeGreaterThanOrEqual(2)
  },
  async 'refuse-upgrade'({ simulator, on }) {
    await on('refuse-upgrade', { target: { feed: 'binance' }, options: { status: 451 } })
    await expect(TestClient.open(`${simulator.addresses.spotSocket}/ws/btcusdt@bookTicker`)).rejects.toThrow('451')
    await on('refuse-upgrade', { target: { feed: 'polymarket' }, times: 1 })
    await expect(TestClient.open(simulator.addresses.marketSocket)).rejects.toThrow('429')
    await TestClient.open(simulator.addresses.marketSocket)
  },
  async 'rtds-removed'({ simulator, on }) {
    const before = await TestClient.open(simulator.addresses.priceSocket)
    await on('rtds-removed')
    expect((await before.closed).code).toBe(1001)
    await expect(TestClient.open(simulator.addresses.priceSocket)).rejects.toThrow('410')
    await TestClient.open(simulator.addresses.marketSocket)
  },
  async disconnect({ simulator, client, on }) {
    await on('disconnect')
    expect((await client.closed).code).toBe(1006)
    const again = await TestClient.open(simulator.addresses.marketSocket)
    await on('disconnect', { options: { code: 1000 } })
    expect((await again.closed).code).toBe(1000)
  },
  async 'slow-consumer'({ client, on }) {
    await on('slow-consumer')
    expect(await client.closed).toEqual({ code: 1013, reason: 'slow consumer: send buffer full' })
  },
  async late({ simulator, client, on }) {
    await on('late', { options: { ms: 400 } })
    const held = client.frames.length
    const { json } = await client.frame('a late change', isChange, held + 10)
    expect(simulator.world.nowMs - Number(json.timestamp)).toBeGreaterThan(380)
  },
  async stall({ client, on }) {
    await client.roundTrip()
    const fromMs = performance.now()
    await on('stall', { options: { ms: 700 } })
    await client.roundTrip()
    expect(performance.now() - fromMs).toBeGreaterThan(650)
  },
  async 'server-shutdown'({ simulator, on }) {
    const client = await TestClient.open(`${simulator.addresses.spotSocket}/stream?streams=btcusdt@bookTicker`)
    await client.frame('ticker', () => true)
    await on('server-shutdown', { options: { closeAfterMs: 50 } })
    const { json } = await client.frame('announcement', (frame) => frame.json.stream === '!serverShutdown')
    expect(json.data.e).toBe('serverShutdown')
    expect((await client.closed).code).toBe(1001)
  },
  async 'clock-offset'({ simulator, on }) {
    await on('clock-offset', { options: { ms: -90_000 } })
    const late = await TestClient.open(simulator.addresses.marketSocket)
    late.subscribe([hotMarket(simulator).tokenIds[0]])
    const { json } = await late.frame('first book', (frame) => Array.isArray(frame.json))
    expect(Math.abs(Number(json[0].timestamp) + 90_000 - simulator.world.nowMs)).toBeLessThan(60_000)
    const { event_type: _, ...book } = json[0]
    const body = { ...book, hash: '', min_order_size: '5', neg_risk: false }
    const keys = [
      'market',
      'asset_id',
      'timestamp',
      'hash',
      'bids',
      'asks',
      'min_order_size',
      'tick_size',
      'neg_risk',
      'last_trade_price',
    ]
    const text = JSON.stringify(Object.fromEntries(keys.map((key) => [key, body[key]])))
    expect(createHash('sha1').update(text).digest('hex')).toBe(book.hash)
  },
  async 'rest-429'({ simulator, on }) {
    await on('rest-429', { target: { feed: 'gamma' }, times: 1, options: { retryAfterS: 7 } })
    const refused = await fetch(`${simulator.addresses.gamma}/sports`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await restStatus(`${simulator.addresses.gamma}/sports`)).toBe(200)
  },
  async 'rest-error'({ simulator, on }) {
    await on('rest-error', { options: { status: 503 } })
    expect(await restStatus(`${simulator.addresses.clob}/time`)).toBe(503)
    expect(await restStatus(`${simulator.addresses.spot}/api/v3/ticker/bookTicker?symbol=BTCUSDT`)).toBe(503)
  },
  async 'rest-slow'({ simulator, on }) {
    await on('rest-slow', { options: { delayMs: 400 } })
    const startedAtMs = performance.now()
    expect(await restStatus(`${simulator.addresses.clob}/time`)).toBe(200)
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(399)
  },
  async 'stale-book'({ simulator, market, client, on }) {
    await on('stale-book')
    const read = async (token: string) => (await fetch(`${simulator.addresses.clob}/book?token_id=${token}`)).text()
    const first = await read(market.tokenIds[0])
    await client.frame('change', isChange, client.frames.length + 5)
    expect(await read(market.tokenIds[0])).toBe(first)
    expect(Number(JSON.parse(first).timestamp)).toBeLessThan(market.changedAtMs)
  },
  async 'ghost-book'({ simulator, market, on }) {
    await on('ghost-book', { target: { market: market.conditionId } })
    const read = async (token: string) =>
      (await (await fetch(`${simulator.addresses.clob}/book?token_id=${token}`)).json()) as { bids: unknown }
    expect((await read(market.tokenIds[0])).bids).toEqual([{ price: '0.01', size: '1000' }])
    expect((await read(otherHotMarket(simulator).tokenIds[0])).bids).not.toEqual([{ price: '0.01', size: '1000' }])
  },
  async 'book-404'({ simulator, market, on }) {
    await on('book-404', { target: { market: market.conditionId } })
    expect(await restStatus(`${simulator.addresses.clob}/book?token_id=${market.tokenIds[0]}`)).toBe(404)
    expect(await restStatus(`${simulator.addresses.clob}/book?token_id=${otherHotMarket(simulator).tokenIds[0]}`)).toBe(
      200,
    )
  },
  async 'lists-as-arrays'({ simulator, market, on }) {
    await on('lists-as-arrays')
    const answer = await fetch(`${simulator.addresses.gamma}/markets/slug/${market.draft.slug}`)
    expect(await answer.json()).toMatchObject({ outcomes: ['Up', 'Down'], clobTokenIds: market.tokenIds })
  },
  async 'repeat-page'({ simulator, on }) {
    const page = async (query: string) =>
      (await (await fetch(`${simulator.addresses.gamma}/markets/keyset?limit=5${query}`)).json()) as Page
    const first = await page('')
    await on('repeat-page')
    const second = await page(`&after_cursor=${first.next_cursor}`)
    expect(idsOf(second)).toEqual(idsOf(first))
    expect(second.next_cursor).toBe(first.next_cursor)
  },
  async 'unsteady-pages'({ simulator, on }) {
    await on('unsteady-pages')
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const after: string = cursor === undefined ? '' : `&after_cursor=${cursor}`
      const answer = await fetch(`${simulator.addresses.gamma}/markets/keyset?limit=5${after}`)
      const page = (await answer.json()) as Page
      ids.push(...idsOf(page))
      cursor = page.next_cursor
    } while (cursor !== undefined && ids.length < 500)
    const all = simulator.world.markets.size
    expect(new Set(ids).size < all || ids.length > all).toBe(true)
  },
}

// Nightly: watches simulated sockets for seconds of real time.
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { FaultName } from '../../src/faults/fault-list.ts'
import type { KalshiMarket } from '../../src/kalshi/kalshi-market.ts'
import type { Simulator } from '../../src/simulator.ts'
import { deedsOf, switchOff, switchOn } from '../switch-fault.ts'
import type { TestClient } from '../test-client.ts'
import { followed } from './followed-books.ts'
import {
  bitcoinWindow,
  connect,
  ethereumWindow,
  getKalshi,
  isType,
  keyOf,
  moveKalshi,
  openKalshi,
  roundTrip,
  signedHeaders,
  subscribeBooks,
  update,
} from './kalshi-scene.ts'

interface Scene {
  simulator: Simulator
  market: KalshiMarket
  /** Has got the book of the market. */
  client: TestClient
  on: (name: FaultName, more?: object) => Promise<string>
}

async function scene(): Promise<Scene> {
  const simulator = await openKalshi()
  const market = bitcoinWindow(simulator)
  const client = await connect(simulator)
  await subscribeBooks(client, [market.ticker])
  const on = (name: FaultName, more: object = {}): Promise<string> =>
    switchOn(simulator, { name, target: { feed: 'kalshi' }, ...more })
  return { simulator, market, client, on }
}

test('drop: a lost frame leaves a gap in the numbers, which the oracle knows by connection and market', async () => {
  const { simulator, market, client, on } = await scene()
  await on('drop', { times: 1 })
  await moveKalshi(simulator, client, 2_000)
  expect(followed(client.frames).gaps).toEqual([3])
  const [, dropped] = await deedsOf(simulator, 'drop')
  expect(dropped).toMatchObject({ connection: 'kalshi-1', market: market.ticker })
})

test('the oracle knows which connection had which books when', async () => {
  const { simulator, market, client } = await scene()
  const other = ethereumWindow(simulator)
  await moveKalshi(simulator, client, 1_000)
  update(client, 2, 'add_markets', [other.ticker])
  update(client, 3, 'delete_markets', [market.ticker])
  await roundTrip(client)
  const followedBooks = await (await fetch(`${simulator.addresses.admin}/kalshi/followed`)).json()
  const startMs = simulator.kalshi.options.startMs
  expect(followedBooks).toEqual([
    { connection: 'kalshi-1', market: market.ticker, fromMs: startMs, toMs: startMs + 1_000 },
    { connection: 'kalshi-1', market: other.ticker, fromMs: startMs + 1_000 },
  ])
})

test('duplicate, corrupt, noise-text, unknown-event and unknown-keys change the frames of Kalshi too', async () => {
  const { simulator, client, on } = await scene()
  const seen: [FaultName, (text: string, before: string) => boolean][] = [
    ['duplicate', (text, before) => text === before],
    ['corrupt', (text) => text.startsWith('{') && !text.endsWith('}')],
    ['noise-text', (text) => text === 'NO NEW ASSETS'],
    ['unknown-event', (text) => text.includes('"type":"order_book_vibe"')],
    ['unknown-keys', (text) => text.includes('since_the_last_release')],
  ]
  for (const [name, isSeen] of seen) {
    const from = client.frames.length
    const id = await on(name)
    await moveKalshi(simulator, client, 1_000)
    await switchOff(simulator, id)
    const texts = client.frames.slice(from).map(({ text }) => text)
    expect(
      texts.some((text, index) => isSeen(text, texts[index - 1] ?? '')),
      name,
    ).toBe(true)
  }
})

test('reorder: numbers arrive out of order', async () => {
  const { simulator, client, on } = await scene()
  await on('reorder', { times: 1 })
  await moveKalshi(simulator, client, 2_000)
  expect(followed(client.frames).gaps.slice(0, 2)).toEqual([3, 2])
})

test('wrong-size: the book of the client differs from that of REST', async () => {
  const { simulator, market, client, on } = await scene()
  await on('wrong-size', { times: 1 })
  await moveKalshi(simulator, client, 500)
  const { json } = await getKalshi(simulator, `/markets/${market.ticker}/orderbook`)
  const books = followed(client.frames)
  expect(books.gaps).toEqual([])
  expect(books.asRest(market.ticker)).not.toEqual(json.orderbook_fp)
})

test('mute: no deltas, but answers to requests', async () => {
  const { simulator, client, on } = await scene()
  await on('mute')
  await moveKalshi(simulator, client, 5_000)
  expect(client.frames.some(isType('orderbook_delta'))).toBe(false)
})

test('late: deltas are old when they arrive', async () => {
  const { simulator, client, on } = await scene()
  await on('late', { options: { ms: 300 } })
  const sentAtMs = performance.now()
  await moveKalshi(simulator, client, 1_000)
  const delta = await client.frame('delta', isType('orderbook_delta'))
  expect(delta.atMs - sentAtMs).toBeGreaterThan(295)
})

test('clock-offset: the times of deltas are shifted', async () => {
  const { simulator, client, on } = await scene()
  await on('clock-offset', { options: { ms: -90_000 } })
  await moveKalshi(simulator, client, 1_000)
  const { json } = await client.frame('delta', isType('orderbook_delta'))
  expect(simulator.kalshi.nowMs - json.msg.ts_ms).toBeGreaterThanOrEqual(90_000)
})

test('no-first-book and late-first-book: deltas come without a snapshot, or before it', async () => {
  const { simulator, market, on } = await scene()
  const id = await on('no-first-book')
  const without = await connect(simulator)
  await subscribeBooks(without, [market.ticker])
  await moveKalshi(simulator, without, 1_000)
  expect(without.frames.some(isType('orderbook_snapshot'))).toBe(false)
  expect(without.frames.some(isType('orderbook_delta'))).toBe(true)
  await switchOff(simulator, id)
  await on('late-first-book', { options: { delayMs: 300 } })
  const late = await connect(simulator)
  await subscribeBooks(late, [market.ticker])
  await moveKalshi(simulator, late, 1_000)
  const snapshot = await late.frame('snapshot', isType('orderbook_snapshot'))
  expect(late.frames.findIndex(isType('orderbook_delta'))).toBeLessThan(late.frames.indexOf(snapshot))
  expect(followed(late.frames).gaps).toEqual([])
})

test('ignore-later-subscribes and stray-market: a market that was added is missing, another one comes', async () => {
  const { simulator, market, client, on } = await scene()
  const id = await on('ignore-later-subscribes')
  update(client, 2, 'add_markets', [ethereumWindow(simulator).ticker])
  await moveKalshi(simulator, client, 2_000)
  expect(client.frames.some(({ json }) => json.id === 2)).toBe(false)
  await switchOff(simulator, id)
  await on('stray-market')
  await moveKalshi(simulator, client, 2_000)
  const isStray = (frame: TestClient['frames'][number]): boolean =>
    isType('orderbook_delta')(frame) && frame.json.msg.market_ticker !== market.ticker
  expect(client.frames.some(isStray)).toBe(true)
})

test('disconnect: the oracle names all markets of the connection', async () => {
  const { simulator, market, client, on } = await scene()
  await on('disconnect')
  expect((await client.closed).code).toBe(1006)
  expect(await deedsOf(simulator, 'disconnect')).toContainEqual(
    expect.objectContaining({ connection: 'kalshi-1', markets: [market.ticker] }),
  )
})

test('half-open: neither data nor a pong', async () => {
  const simulator = await openKalshi()
  const socket = new WebSocket(simulator.addresses.kalshiSocket, { headers: signedHeaders(keyOf(simulator)) })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const pongs: string[] = []
  socket.on('pong', (body: Buffer) => pongs.push(body.toString()))
  socket.ping('one')
  await expect.poll(() => pongs).toEqual(['one'])
  const id = await switchOn(simulator, { name: 'half-open', target: { feed: 'kalshi' } })
  socket.ping('two')
  // The request is read after the ping; that it is not answered is counted.
  socket.send(JSON.stringify({ id: 1, cmd: 'list_subscriptions' }))
  await expect.poll(async () => (await deedsOf(simulator, 'half-open')).length).toBe(2)
  await switchOff(simulator, id)
  socket.ping('three')
  await expect.poll(() => pongs).toEqual(['one', 'three'])
})

test('stale-book, ghost-book and rest-429 affect REST; the 429 has no Retry-After', async () => {
  const { simulator, market, client, on } = await scene()
  const path = `/markets/${market.ticker}/orderbook`
  const stale = await on('stale-book')
  const first = await getKalshi(simulator, path)
  await moveKalshi(simulator, client, 5_000)
  expect((await getKalshi(simulator, path)).json).toEqual(first.json)
  await switchOff(simulator, stale)
  expect((await getKalshi(simulator, path)).json).not.toEqual(first.json)
  await on('ghost-book', { times: 1 })
  expect((await getKalshi(simulator, path)).json.orderbook_fp.yes_dollars).toEqual([['0.0100', '1000.00']])
  await on('rest-429', { times: 1 })
  const refused = await fetch(`${simulator.addresses.kalshi}${path}`)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null])
})

import { expect, test } from 'vitest'
import type { KalshiMarket } from '../../src/kalshi/kalshi-market.ts'
import { replayKalshi } from '../../src/kalshi/replay.ts'
import type { Simulator } from '../../src/simulator.ts'
import type { TestClient } from '../test-client.ts'
import { type FollowedBooks, followed } from './followed-books.ts'
import {
  bitcoinWindow,
  connect,
  ethereumWindow,
  getKalshi,
  isType,
  moveKalshi,
  openKalshi,
  roundTrip,
  subscribe,
  subscribeBooks,
  update,
} from './kalshi-scene.ts'

const MINUTE_MS = 60_000
const EMPTY = { no_dollars: [], yes_dollars: [] }

function tradingTickers({ kalshi }: Simulator): string[] {
  return [...kalshi.markets.values()].filter(({ status }) => status === 'active').map(({ ticker }) => ticker)
}

async function expectRestBooks(simulator: Simulator, books: FollowedBooks, tickers: readonly string[]): Promise<void> {
  for (const ticker of tickers) {
    const { json } = await getKalshi(simulator, `/markets/${ticker}/orderbook`)
    expect(books.asRest(ticker), ticker).toEqual(json.orderbook_fp)
  }
}

test('snapshots and deltas give the books of the REST interface, also past the end of a window', async () => {
  const simulator = await openKalshi()
  const client = await connect(simulator)
  const tickers = tradingTickers(simulator)
  await subscribeBooks(client, tickers)
  expect(client.frames.filter(isType('orderbook_snapshot'))).toHaveLength(tickers.length)
  await moveKalshi(simulator, client, 10 * MINUTE_MS)
  const books = followed(client.frames)
  expect([books.gaps, books.negative]).toEqual([[], []])
  expect(client.frames.filter(isType('orderbook_delta')).length).toBeGreaterThan(5_000)
  await expectRestBooks(simulator, books, tickers)
  expect(books.asRest(tickers.find((ticker) => ticker.startsWith('KXBTC15M')) ?? '')).toEqual(EMPTY)
})

test('the first frames: subscribed without a number, then a snapshot, then deltas', async () => {
  const simulator = await openKalshi()
  const { ticker, id } = bitcoinWindow(simulator)
  const client = await connect(simulator)
  await subscribeBooks(client, [ticker])
  await moveKalshi(simulator, client, 1_000)
  const [first, second] = client.frames
  expect(first?.text).toBe('{"type":"subscribed","id":1,"msg":{"channel":"orderbook_delta","sid":1}}')
  const start = `{"type":"orderbook_snapshot","sid":1,"seq":1,"msg":{"market_ticker":"${ticker}","market_id":"${id}","yes_dollars_fp":[["`
  expect(second?.text.slice(0, start.length)).toBe(start)
  const delta = await client.frame('delta', isType('orderbook_delta'))
  expect(delta.text).toMatch(
    /^\{"type":"orderbook_delta","sid":1,"seq":2,"msg":\{"market_ticker":"[^"]+","market_id":"[0-9a-f-]{36}","price_dollars":"0\.\d{4}","delta_fp":"-?\d+\.\d\d","side":"(yes|no)","ts":"2026-11-15T02:21:\d\d\.\d{6}Z","ts_ms":\d{13}\}\}$/,
  )
})

test('books hold bids for YES and NO on the grid, some with fractions, and never cross', async () => {
  const simulator = await openKalshi()
  let fractions = 0
  for (const market of simulator.kalshi.markets.values()) {
    const valid = new Set(market.grid.prices)
    for (const { price, size } of [...market.book.bids, ...market.book.asks]) {
      expect(valid.has(price), `${market.ticker} ${price}`).toBe(true)
      if (size % 100 !== 0) fractions++
    }
    expect(market.book.bestBid).toBeLessThan(market.book.bestAsk)
  }
  expect(fractions).toBeGreaterThan(20)
  const { json } = await getKalshi(simulator, `/markets/${bitcoinWindow(simulator).ticker}/orderbook?depth=2`)
  const [yes, no] = [json.orderbook_fp.yes_dollars, json.orderbook_fp.no_dollars]
  expect([yes.length, no.length]).toEqual([2, 2])
  expect(Number(yes[1][0])).toBeGreaterThan(Number(yes[0][0]))
  expect(Number(yes[1][0]) + Number(no[1][0])).toBeLessThan(1)
})

test('numbers count all frames of a subscription: ok and unsubscribed take one, and a new one begins with 1', async () => {
  const simulator = await openKalshi()
  const [bitcoin, ethereum] = [bitcoinWindow(simulator), ethereumWindow(simulator)]
  const client = await connect(simulator)
  await subscribeBooks(client, [bitcoin.ticker])
  await moveKalshi(simulator, client, 2_000)
  update(client, 2, 'add_markets', [ethereum.ticker])
  await moveKalshi(simulator, client, 2_000)
  client.send({
    id: 3,
    cmd: 'update_subscription',
    params: { sid: 1, market_ticker: bitcoin.ticker, action: 'delete_markets' },
  })
  await roundTrip(client)
  const removed = client.frames.length
  await moveKalshi(simulator, client, 2_000)
  client.send({ id: 4, cmd: 'unsubscribe', params: { sids: [1] } })
  await moveKalshi(simulator, client, 2_000)
  const ended = await client.frame('unsubscribed', ({ json }) => json.type === 'unsubscribed')
  const added = await client.frame('ok', ({ json }) => json.type === 'ok' && json.id === 2)
  expect(added.text).toMatch(
    /^\{"type":"ok","id":2,"sid":1,"seq":\d+,"msg":\{"market_tickers":\["KXBTC15M[^"]*","KXETH15M[^"]*"\]\}\}$/,
  )
  expect(ended.text).toMatch(/^\{"id":4,"sid":1,"seq":\d+,"type":"unsubscribed"\}$/)
  expect(client.frames.slice(client.frames.indexOf(ended)).some(isType('orderbook_delta'))).toBe(false)
  expect(client.frames.slice(removed).some(isType('orderbook_delta', bitcoin.ticker))).toBe(false)
  expect(client.frames.slice(removed).some(isType('orderbook_delta', ethereum.ticker))).toBe(true)
  await subscribeBooks(client, [bitcoin.ticker])
  const again = await client.frame('snapshot', isType('orderbook_snapshot'), client.frames.indexOf(ended))
  expect([again.json.sid, again.json.seq]).toEqual([2, 1])
  expect(followed(client.frames).gaps).toEqual([])
})

test('a second subscribe to a channel is merged: ok with the full list, snapshots of new markets only', async () => {
  const simulator = await openKalshi()
  const [bitcoin, ethereum] = [bitcoinWindow(simulator), ethereumWindow(simulator)]
  const client = await connect(simulator)
  await subscribeBooks(client, [bitcoin.ticker])
  const held = client.frames.length
  await subscribeBooks(client, [bitcoin.ticker, ethereum.ticker])
  const answers = client.frames.slice(held, -1).map(({ json }) => json)
  expect(answers).toMatchObject([
    { type: 'ok', id: 1, sid: 1, seq: 2, msg: { market_tickers: [bitcoin.ticker, ethereum.ticker] } },
    { type: 'orderbook_snapshot', sid: 1, seq: 3, msg: { market_ticker: ethereum.ticker } },
  ])
})

test('get_snapshot sends a fresh book in the same line of numbers, and none for an empty list', async () => {
  const simulator = await openKalshi()
  const { ticker } = bitcoinWindow(simulator)
  const client = await connect(simulator)
  await subscribeBooks(client, [ticker])
  await moveKalshi(simulator, client, 5_000)
  const held = client.frames.length
  update(client, 8, 'get_snapshot', [ticker])
  update(client, 9, 'get_snapshot', [])
  await roundTrip(client)
  const answers = client.frames.slice(held, -1)
  expect(answers.map(({ json }) => [json.type, json.id])).toEqual([['orderbook_snapshot', 8]])
  await moveKalshi(simulator, client, 5_000)
  const books = followed(client.frames)
  expect(books.gaps).toEqual([])
  await expectRestBooks(simulator, books, [ticker])
})

test('with use_yes_price the bids for NO stand at the price of YES', async () => {
  const simulator = await openKalshi()
  const { ticker } = bitcoinWindow(simulator)
  const [plain, turned] = [await connect(simulator), await connect(simulator)]
  await subscribeBooks(plain, [ticker])
  await subscribeBooks(turned, [ticker], { use_yes_price: true })
  await Promise.all([moveKalshi(simulator, plain, 20_000), moveKalshi(simulator, turned, 20_000)])
  const noLevels = (client: TestClient): [price: number, size: string][] => {
    const { msg } = client.frames.find(isType('orderbook_snapshot'))?.json ?? {}
    return msg.no_dollars_fp.map(([price, size]: [string, string]) => [Math.round(Number(price) * 10_000), size])
  }
  const mirrored = noLevels(turned).map(([price, size]): [number, string] => [10_000 - price, size])
  expect(mirrored.toSorted(([one], [other]) => one - other)).toEqual(noLevels(plain))
  const noDelta = (client: TestClient) =>
    client.frames.find(({ json }) => json.msg?.side === 'no')?.json.msg.price_dollars
  expect(Number(noDelta(plain)) + Number(noDelta(turned))).toBeCloseTo(1, 9)
})

test('a trade is announced with its levels already taken, on its own channel', async () => {
  const simulator = await openKalshi()
  const client = await connect(simulator)
  await subscribe(client, ['orderbook_delta', 'trade', 'ticker'], { market_tickers: tradingTickers(simulator) })
  await moveKalshi(simulator, client, MINUTE_MS)
  const trade = await client.frame('trade', isType('trade'))
  const delta = client.frames.slice(0, client.frames.indexOf(trade)).findLast(isType('orderbook_delta'))
  const { msg } = trade.json
  expect(delta?.json.msg).toMatchObject({ market_ticker: msg.market_ticker, delta_fp: `-${msg.count_fp}` })
  expect(delta?.json.msg.side).toBe(msg.taker_side === 'yes' ? 'no' : 'yes')
  expect(Number(msg.yes_price_dollars) + Number(msg.no_price_dollars)).toBeCloseTo(1, 9)
  const ticker = await client.frame('ticker', isType('ticker', msg.market_ticker), client.frames.indexOf(trade))
  expect([ticker.json.seq, ticker.json.msg.last_trade_size_fp]).toEqual([undefined, msg.count_fp])
  const { json } = await getKalshi(simulator, `/markets/trades?ticker=${msg.market_ticker}&limit=1000`)
  expect(json.trades.map(({ trade_id: id }: { trade_id: string }) => id)).toContain(msg.trade_id)
})

test('some trades sweep several levels', async () => {
  const simulator = await openKalshi()
  simulator.kalshi.advance(simulator.kalshi.nowMs + MINUTE_MS)
  const sizes = new Map<string, number>()
  for (const { market, atMs } of simulator.kalshi.trades) {
    const key = `${market.ticker} ${atMs}`
    sizes.set(key, (sizes.get(key) ?? 0) + 1)
  }
  expect(Math.max(...sizes.values())).toBeGreaterThan(1)
})

test('mistakes are answered with the codes of the venue, and the connection goes on', async () => {
  const client = await connect(await openKalshi())
  const wrong: [frame: object | string, code: number][] = [
    ['hello', 1],
    [{ id: 1, cmd: 'subscribe' }, 2],
    [{ id: 2, cmd: 'subscribe', params: {} }, 3],
    [{ id: 3, cmd: 'unsubscribe', params: {} }, 4],
    [{ id: 4, cmd: 'dance', params: {} }, 5],
    [{ id: 5, cmd: 'unsubscribe', params: { sids: [9] } }, 7],
    [{ id: 6, cmd: 'subscribe', params: { channels: ['ticker_v2'] } }, 8],
    [{ id: 7, cmd: 'update_subscription', params: { sids: [1, 2], action: 'add_markets' } }, 12],
    [{ id: 8, cmd: 'subscribe', params: { channels: ['orderbook_delta'] } }, 14],
  ]
  for (const [frame] of wrong) client.send(frame)
  await roundTrip(client)
  expect(client.frames.slice(0, -1).map(({ json }) => json.msg.code)).toEqual(wrong.map(([, code]) => code))
  expect(client.frames[2]?.text).toBe('{"type":"error","id":2,"msg":{"code":3,"msg":"Channels required"}}')
})

test('a world that runs again with the same options and interventions goes through the same books', async () => {
  const simulator = await openKalshi()
  const { kalshi } = simulator
  const { ticker } = bitcoinWindow(simulator)
  kalshi.advance(kalshi.nowMs + 20_000)
  kalshi.intervene({ kind: 'pause', atMs: kalshi.nowMs })
  kalshi.advance(kalshi.nowMs + 5_000)
  kalshi.intervene({ kind: 'resume', atMs: kalshi.nowMs })
  kalshi.advance(kalshi.nowMs + 20_000)
  kalshi.intervene({ kind: 'close', ticker, atMs: kalshi.nowMs })
  kalshi.advance(kalshi.nowMs + 20_000)
  let deltas = 0
  const again = replayKalshi(kalshi.options, kalshi.interventions, kalshi.nowMs, ({ kind }) => {
    if (kind === 'delta') deltas++
  })
  const stateOf = ({ book, status, changedAtMs, result }: KalshiMarket) => ({
    bids: book.bids,
    asks: book.asks,
    status,
    changedAtMs,
    result,
  })
  expect([...again.markets].map(([name, market]) => [name, stateOf(market)])).toEqual(
    [...kalshi.markets].map(([name, market]) => [name, stateOf(market)]),
  )
  expect(again.markets.get(ticker)).toMatchObject({ status: 'finalized', book: { bids: [], asks: [] } })
  expect(deltas).toBeGreaterThan(500)
})

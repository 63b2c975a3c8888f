// Nightly: follows simulated sockets in real time.
import type { FaultOrder } from '@bookreel/simulator/faults/switchboard'
import { expect, onTestFinished, test } from 'vitest'
import { PriceBoard } from '../../src/capture/price-board.ts'
import { COINS, type CoinSymbol } from '../../src/domain/market.ts'
import { MAX_PRICE_AGE_MS } from '../../src/domain/price.ts'
import { BackOff } from '../../src/venues/back-off.ts'
import { binance } from '../../src/venues/binance/venue.ts'
import { ConnectGate } from '../../src/venues/connect-gate.ts'
import { runFeed } from '../../src/venues/feed.ts'
import type { FeedOptions } from '../../src/venues/feed-options.ts'
import { FrameRing } from '../../src/venues/frame-ring.ts'
import { hyperliquid } from '../../src/venues/hyperliquid/venue.ts'
import type { PerpStream } from '../../src/venues/perp-events.ts'
import { Subscriptions } from '../../src/venues/subscriptions.ts'
import { openSimulator, switchOff, switchOn, until } from './open-simulator.ts'

const { signal } = new AbortController()
const nowMs = (): number => performance.timeOrigin + performance.now()

function run(
  options: Pick<FeedOptions, 'rules' | 'subscriptions' | 'subscribeFrames' | 'unsubscribeFrames' | 'owner'>,
  ring = new FrameRing(),
): void {
  const stop = new AbortController()
  const rest = { gate: new ConnectGate({ everyMs: 0, perMinute: 600 }), ring, nowMs }
  const running = runFeed({ ...options, ...rest, backOff: new BackOff({ firstMs: 50 }) }, stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await running
  })
}

async function perpScene() {
  const simulator = await openSimulator()
  const { perpInfo: infoUrl, perpSocket: socketUrl } = simulator.addresses
  const venue = hyperliquid({ infoUrl, socketUrl })
  const lost: string[] = []
  const problems: string[] = []
  const follow = (stream: PerpStream, coins: readonly string[]) => {
    const books = coins.map((coin) => venue.openBook(coin))
    const kinds = new Set<string>()
    run({
      rules: venue.socket,
      subscriptions: new Subscriptions(coins),
      subscribeFrames: (ids) => venue.subscribeFrames(stream, ids),
      unsubscribeFrames: (ids) => venue.unsubscribeFrames(stream, ids),
      owner: {
        opened: () => {},
        frame(text, receivedAtMs) {
          const decoded = venue.decode(text, stream)
          problems.push(...decoded.problems.map(({ reason }) => reason))
          for (const event of decoded.events) {
            kinds.add(event.kind)
            for (const book of books) book.take(event, receivedAtMs)
          }
          return decoded.events.length > 0 ? 'data' : 'no_data'
        },
        lost: (cause, detail) => lost.push(`${cause} ${detail}`),
      },
    })
    return { books, kinds }
  }
  return { simulator, venue, follow, lost, problems }
}

test('F69: on separate sockets the deep stream gives whole books of twenty levels, the quick one the touch, trades and contexts', async () => {
  const { venue, follow, problems } = await perpScene()
  await venue.listCoins(signal)
  const deep = follow('deep', ['BTC', 'DOGE'])
  const quick = follow('quick', ['BTC', 'DOGE'])
  const snapshots = () => deep.books.map((book) => book.sample(1, 500, nowMs()))
  await until('whole books', () => snapshots().every((snapshot) => snapshot !== undefined))
  await until('touches, trades and contexts', () => quick.kinds.size === 3)
  for (const snapshot of snapshots()) {
    expect([snapshot?.ladders.bids.length, snapshot?.ladders.asks.length]).toEqual([20, 20])
    const { bids = [], asks = [] } = snapshot?.ladders ?? {}
    expect(bids[0]?.price ?? 0).toBeLessThan(asks[0]?.price ?? 0)
    expect(snapshot?.touch).toMatchObject({ bidPrice: bids[0]?.price, askSize: asks[0]?.size })
  }
  expect([...quick.kinds].toSorted()).toEqual(['context', 'touch', 'trade'])
  expect(quick.books.map((book) => book.sample(1, 500, nowMs()))).toEqual([undefined, undefined])
  expect(problems).toEqual([])
})

test('F61, F72: an unlisted or delisted coin is never subscribed', async () => {
  const { venue, follow, lost } = await perpScene()
  expect(venue.subscribeFrames('deep', ['BTC'])).toEqual([])
  const listed = await venue.listCoins(signal)
  expect([listed.has('BTC'), listed.has('btc'), listed.has('MATIC')]).toEqual([true, false, false])
  const { books } = follow('deep', ['btc', 'NOPE', 'MATIC', 'ETH'])
  await until('the book of the one that exists', () => books[3]?.sample(1, 500, nowMs()) !== undefined)
  expect(lost).toEqual([])
})

test('F60: REST is fresher than the slow stream, and an older answer is ignored', async () => {
  const { venue, simulator } = await perpScene()
  const book = venue.openBook('BTC')
  const first = await venue.fetchBook('BTC', signal)
  await until('another block', () => simulator.world.nowMs > (first?.eventAtMs ?? 0) + 500)
  const second = await venue.fetchBook('BTC', signal)
  if (first === undefined || second === undefined) throw new Error('two books')
  book.take(second, 2_000)
  book.take(first, 2_100)
  expect(book.sample(1, 500, 2_200)).toMatchObject({ eventAtMs: second.eventAtMs, receivedAtMs: 2_000 })
  expect(await venue.fetchBook('NOPE', signal)).toBeUndefined()
})

test('F62: a book whose venue time does not change becomes stale, even if it is sent again', async () => {
  const { venue } = await perpScene()
  const book = venue.openBook('BTC')
  const event = await venue.fetchBook('BTC', signal)
  if (event === undefined) throw new Error('a book')
  for (let atMs = 0; atMs <= 20_000; atMs += 500) book.take(event, atMs)
  expect([book.isStale(14_000), book.isStale(15_001), book.sample(1, 500, 15_001)]).toEqual([false, true, undefined])
})

test('F63: pings are sent before the venue closes the socket, and it answers them', async () => {
  const { venue } = await perpScene()
  await venue.listCoins(signal)
  const { heartbeat } = venue.socket
  if (heartbeat === undefined) throw new Error('no heartbeat')
  expect(heartbeat.everyMs).toBeLessThanOrEqual(50_000)
  const lost: string[] = []
  const ring = new FrameRing()
  run(
    {
      rules: { ...venue.socket, heartbeat: { ...heartbeat, everyMs: 20, answerWithinMs: 1_000 } },
      subscriptions: new Subscriptions(['BTC']),
      subscribeFrames: (ids) => venue.subscribeFrames('deep', ids),
      unsubscribeFrames: (ids) => venue.unsubscribeFrames('deep', ids),
      owner: { opened: () => {}, frame: () => 'data', lost: (cause) => lost.push(cause) },
    },
    ring,
  )
  await until('answers', () => ring.frames.filter(({ text }) => text === heartbeat.answer).length > 10)
  expect(lost).toEqual([])
})

test('F68: an unchanged book with a new time is fresh, and one with a known time is ignored', async () => {
  const { venue } = await perpScene()
  const book = venue.openBook('BTC')
  const event = await venue.fetchBook('BTC', signal)
  if (event === undefined) throw new Error('a book')
  book.take(event, 1_000)
  book.take({ ...event, eventAtMs: event.eventAtMs + 5_400 }, 6_400)
  expect(book.sample(1, 500, 20_000)).toMatchObject({ eventAtMs: event.eventAtMs + 5_400, ladders: event.ladders })
  book.take({ ...event, eventAtMs: event.eventAtMs + 5_400, ladders: { bids: [], asks: [] } }, 7_000)
  expect(book.sample(1, 500, 20_000)).toMatchObject({ receivedAtMs: 6_400, ladders: event.ladders })
})

test('invalid perp frames are reported as problems, not thrown', async () => {
  const { venue } = await perpScene()
  const kindsOf = (text: string): string[] => venue.decode(text, 'deep').problems.map(({ kind }) => kind)
  const level = (px: string) => ({ px, sz: '1.0', n: 1 })
  const book = (levels: unknown) => JSON.stringify({ channel: 'l2Book', data: { coin: 'BTC', time: 1, levels } })
  expect(kindsOf(book([[level('2.0'), level('1.0')], [level('3.0')]]))).toEqual([])
  expect(kindsOf(book([[level('1.0'), level('2.0')], []]))).toEqual(['undecodable'])
  for (const levels of [undefined, [], [[level('-1')], []], [[level('1e9')], []], [[{ px: 1 }], []]])
    expect(kindsOf(book(levels))).toEqual(['undecodable'])
  expect(kindsOf('{"channel":"l2Book","da')).toEqual(['undecodable'])
  expect(kindsOf('{"channel":"vibe","data":{}}')).toEqual(['unknown_event'])
  expect(kindsOf('Websocket connection established.')).toEqual([])
})

async function spotScene(silenceLimitMs: number, faults: readonly FaultOrder[] = []) {
  const simulator = await openSimulator({ faults })
  const { spot: restUrl, spotSocket: streamUrl } = simulator.addresses
  const venue = binance({ restUrl, streamUrl })
  const prices = new PriceBoard(nowMs, { ...MAX_PRICE_AGE_MS, binance: 800 })
  const lost: string[] = []
  run({
    rules: { ...venue.socket, silenceLimitMs },
    subscriptions: new Subscriptions(venue.series.map((each) => venue.streamOf(each))),
    subscribeFrames: (ids) => venue.subscribeFrames(ids),
    unsubscribeFrames: (ids) => venue.unsubscribeFrames(ids),
    owner: {
      opened: () => {},
      frame(text, receivedAtMs) {
        const { events, problems } = venue.decode(text)
        expect(problems).toEqual([])
        for (const event of events) prices.take(event, receivedAtMs)
        return events.length > 0 ? 'data' : 'no_data'
      },
      lost: (cause) => lost.push(cause),
    },
  })
  const priceOf = (coin: CoinSymbol) => prices.fresh({ source: 'binance', coin })
  return { simulator, priceOf, lost }
}

test('F50: every coin has a spot price with its age; a frozen feed has none', async () => {
  const { simulator, priceOf, lost } = await spotScene(1_000)
  await until('a price of Bitcoin', () => priceOf('BTC') !== undefined)
  const traded = COINS.filter((coin) => coin !== 'HYPE')
  await until('all prices', () => traded.every((coin) => priceOf(coin) !== undefined))
  expect(Number(priceOf('BTC')?.price ?? 0) / 1e18).toBeGreaterThan(10_000)
  await switchOn(simulator, { name: 'freeze', target: { feed: 'binance' } })
  await until('no price', () => priceOf('BTC') === undefined)
  await until('silence noticed', () => lost.includes('venue_silent'))
})

test('F52, F57: a spot feed that delivers nothing is closed, and a disconnected one reconnects', async () => {
  const { simulator, priceOf, lost } = await spotScene(400, [{ name: 'mute', target: { feed: 'binance' } }])
  await until('silence noticed', () => lost.includes('venue_silent'))
  expect(priceOf('BTC')).toBeUndefined()
  await switchOff(simulator, 'fault-1')
  await until('a price', () => priceOf('BTC') !== undefined)
  await switchOn(simulator, { name: 'disconnect', target: { feed: 'binance' } })
  await until('the cut noticed', () => lost.includes('disconnected'))
  const cutAtMs = nowMs()
  await until('a newer price', () => (priceOf('BTC')?.receivedAtMs ?? 0) > cutAtMs)
})

test('invalid spot frames are reported as problems', () => {
  const venue = binance({ restUrl: '', streamUrl: '' })
  expect(venue.decode('{"result":null,"id":1}')).toEqual({ events: [], problems: [] })
  expect(venue.decode('{"u":1,"s":"BTCUSDT","b":"100.00000001","B":"1","a":"100.00000003","A":"1"}').events).toEqual([
    { source: 'binance', coin: 'BTC', price: 100_000_000_020_000_000_000n },
  ])
  for (const text of ['"b":"2","a":"1"}', '"b":"0","a":"1"}', '"b":"-1","a":"1"}', '"b'].map(
    (end) => `{"s":"BTCUSDT",${end}`,
  ))
    expect(venue.decode(text).problems.map(({ kind }) => kind)).toEqual(['undecodable'])
  expect(venue.decode('{"s":"HYPERUSDT","b":"1","a":"2"}').events, 'another coin than HYPE').toEqual([])
  expect(venue.decode('{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1}}').problems).toEqual([])
  expect(venue.decode('{"e":"trade"}').problems.map(({ kind }) => kind)).toEqual(['unknown_event'])
})

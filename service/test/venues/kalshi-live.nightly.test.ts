// Nightly: follows simulated sockets in real time.
import type { KalshiMarket } from '@bookreel/simulator/kalshi/kalshi-market'
import type { Simulator } from '@bookreel/simulator/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Ladders, sameLadders } from '../../src/domain/book.ts'
import { CATEGORIES, type Category, type Market } from '../../src/domain/market.ts'
import { FOLLOWED_SERIES } from '../../src/venues/kalshi/series.ts'
import { kalshi } from '../../src/venues/kalshi/venue.ts'
import type { BinaryBook, BinaryVenue, FrameProblem } from '../../src/venues/venue.ts'
import { planOf } from './kalshi-scene.ts'
import { openSimulator, until } from './open-simulator.ts'

const { signal } = new AbortController()
const nowMs = (): number => performance.timeOrigin + performance.now()
/** No Polymarket markets. */
const NONE = { hot: 0, medium: 0, cold: 0 }

function venueOf({ addresses, kalshiKey }: Simulator, onProblem?: (reason: string) => void): BinaryVenue {
  if (kalshiKey === undefined) throw new Error('the simulator has no key')
  const { kalshi: restUrl, kalshiSocket: socketUrl } = addresses
  return kalshi({ restUrl, socketUrl, keyId: kalshiKey.id, privateKey: kalshiKey.privateKeyPem }, onProblem)
}

/** The true book, in the units of the service. */
function truthOf({ book }: KalshiMarket): Ladders {
  const inUnits = (levels: readonly { price: number; size: number }[]) =>
    levels.map(({ price, size }) => ({ price, size: size * 10_000 }))
  return { bids: inUnits(book.bids).reverse(), asks: inUnits(book.asks) }
}

/** One connection with the books of some markets. */
async function connect(venue: BinaryVenue, markets: readonly Market[]) {
  const protocol = venue.openProtocol()
  const books = new Map<string, BinaryBook>(markets.map((market) => [market.id, venue.openBook(market)]))
  const problems: FrameProblem[] = []
  const losses: string[] = []
  const trades: string[] = []
  const socket = new WebSocket(venue.socket.url, { headers: venue.socket.headers?.() ?? {} })
  onTestFinished(() => socket.terminate())
  socket.on('message', (data: Buffer) => {
    const { events, problems: found, loss } = protocol.decode(data.toString(), nowMs())
    problems.push(...found)
    if (loss !== undefined) {
      losses.push(loss.cause)
      for (const book of books.values()) book.distrust(loss)
    }
    for (const event of events) {
      if (event.kind === 'resolved' || event.kind === 'created') continue
      if (event.kind === 'trade') trades.push(event.trade.transactionHash)
      else books.get(event.marketId)?.take(event, nowMs())
    }
  })
  const send = (frames: readonly string[]): void => {
    for (const frame of frames) socket.send(frame)
  }
  const subscribe = (some: readonly Market[]): void =>
    send(protocol.subscribeFrames(some.flatMap(({ tokenIds }) => tokenIds)))
  const unsubscribe = (some: readonly Market[]): void =>
    send(protocol.unsubscribeFrames(some.flatMap(({ tokenIds }) => tokenIds)))
  const ended = Promise.withResolvers<string>()
  socket.on('error', ({ message }) => ended.resolve(message))
  const isOpen = await Promise.race([
    new Promise<true>((resolve) => socket.once('open', () => resolve(true))),
    ended.promise,
  ])
  if (isOpen === true) subscribe(markets)
  return { isOpen, books, problems, losses, trades, subscribe, unsubscribe }
}

const tickersOf = (markets: readonly Market[]): string[] => markets.map(({ venueKey }) => venueKey).sort()

/** What discovery should find: open markets of followed series, and windows that open soon. */
function followedIn({ kalshi: world }: Simulator, category: Category): string[] {
  const tickers = new Set(FOLLOWED_SERIES.filter((series) => series.category === category).map(({ ticker }) => ticker))
  return [...world.markets.values()]
    .filter(({ event, status }) => {
      const isNext = status === 'initialized' && event.series.facts.frequency === 'fifteen_min'
      return tickers.has(event.series.facts.ticker) && (status === 'active' || isNext)
    })
    .map(({ ticker }) => ticker)
    .sort()
}

async function discovered(simulator: Simulator, venue: BinaryVenue, category: Category): Promise<Market[]> {
  const { markets, isPartial } = await venue.discover(planOf(category), simulator.kalshi.nowMs, signal)
  expect(isPartial, category).toBe(false)
  return [...markets]
}

test('every plan lists exactly its markets', async () => {
  const simulator = await openSimulator({ size: NONE, kalshi: { hot: 10, medium: 30, cold: 260 } })
  const problems: string[] = []
  const venue = venueOf(simulator, (reason) => problems.push(reason))
  for (const category of CATEGORIES) {
    const markets = await discovered(simulator, venue, category)
    expect(tickersOf(markets), category).toEqual(followedIn(simulator, category))
    expect(markets.length, category).toBeGreaterThan(0)
    for (const market of markets) {
      const real = simulator.kalshi.markets.get(market.venueKey)
      expect(market).toMatchObject({ category, venue: 'kalshi', endsAtMs: real?.closeMs, planId: category })
      expect(market.groupId !== undefined, market.venueKey).toBe(real?.event.isExclusive)
      expect(market.startsAtMs).toBe(market.timeframe === '15m' ? real?.event.openMs : undefined)
    }
  }
  expect(problems).toEqual([])
})

test('books follow the venue without a problem, through further subscriptions and removals', async () => {
  const simulator = await openSimulator({ size: NONE, kalshi: { hot: 6, medium: 20, cold: 60 } })
  const venue = venueOf(simulator)
  const [crypto, weather] = [
    await discovered(simulator, venue, 'crypto'),
    await discovered(simulator, venue, 'weather'),
  ]
  const { books, problems, losses, trades, subscribe, unsubscribe } = await connect(venue, crypto)
  /** Each book must be equal once: a busy one is rarely equal at the same time as all others. */
  const areTrue = async (markets: readonly Market[]): Promise<void> => {
    const left = new Set(markets)
    await until(
      'true books',
      () => {
        for (const market of left) {
          const [proved, real] = [books.get(market.id)?.proved, simulator.kalshi.markets.get(market.venueKey)]
          if (proved !== undefined && real !== undefined && sameLadders(proved.up, truthOf(real))) left.delete(market)
        }
        return left.size === 0
      },
      60_000,
    )
  }
  await areTrue(crypto)
  for (const market of weather) books.set(market.id, venue.openBook(market))
  subscribe(weather)
  await areTrue(weather)
  // As after a doubt: removed and subscribed again, each book comes anew.
  const [busy] = crypto.filter(({ timeframe }) => timeframe === '15m')
  if (busy === undefined) throw new Error('no window')
  books.get(busy.id)?.distrust({ cause: 'undecodable', detail: '' })
  unsubscribe([busy])
  subscribe([busy])
  await areTrue([...crypto, ...weather])
  await until('a trade', () => trades.length > 0, 120_000)
  expect(trades.every((id) => simulator.kalshi.trades.some((trade) => id.endsWith(trade.id.replaceAll('-', ''))))).toBe(
    true,
  )
  const requestedAtMs = nowMs()
  const rest = await venue.fetchBooks(
    weather.map(({ tokenIds }) => tokenIds[0]),
    signal,
  )
  // The stream may still be on its way to the state that REST has.
  await until('books equal to those of REST', () =>
    rest.every((book) => books.get(book.marketId)?.relationTo(book, requestedAtMs) === 'equal'),
  )
  expect(rest).toHaveLength(weather.length)
  expect([problems, losses]).toEqual([[], []])
  expect([...books.values()].flatMap((book) => book.takeDoubts())).toEqual([])
})

test('a window that ends has a result and two prices', async () => {
  const startMs = Date.parse('2026-11-15T02:28:20Z')
  const simulator = await openSimulator({ size: NONE, kalshi: { hot: 2, medium: 0, cold: 0 }, startMs, speed: 10 })
  const venue = venueOf(simulator)
  const windows = (await discovered(simulator, venue, 'crypto')).filter(({ endsAtMs }) => endsAtMs <= startMs + 100_000)
  expect(windows.length).toBeGreaterThan(0)
  const realOf = ({ venueKey }: Market) => simulator.kalshi.markets.get(venueKey)
  expect(await venue.fetchEndings(windows, simulator.kalshi.nowMs, signal)).toEqual([])
  await until('the settlement', () => windows.every((market) => realOf(market)?.status === 'finalized'), 120_000)
  const endings = await venue.fetchEndings(windows, simulator.kalshi.nowMs, signal)
  for (const market of windows) {
    const real = realOf(market)
    const ending = endings.find(({ marketId }) => marketId === market.id)
    expect(ending?.resolution).toMatchObject({
      winner: real?.result === 'yes' ? 0 : 1,
      resolvedAtMs: real?.settledAtMs,
    })
    const { start, end } = await venue.fetchWindowPrices(market.eventSlug, signal)
    expect([Number(start) / 1e18, Number(end) / 1e18]).toEqual([real?.strike, real?.finalValue])
  }
})

test('a key that the venue does not know is refused', async () => {
  const simulator = await openSimulator({ size: NONE, kalshi: { hot: 1, medium: 0, cold: 0 } })
  const { kalshi: restUrl, kalshiSocket: socketUrl } = simulator.addresses
  const privateKey = simulator.kalshiKey?.privateKeyPem ?? ''
  const { isOpen } = await connect(kalshi({ restUrl, socketUrl, keyId: 'unknown', privateKey }), [])
  expect(isOpen).toContain('401')
})

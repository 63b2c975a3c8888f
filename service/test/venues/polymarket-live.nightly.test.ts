// Nightly: follows simulated sockets in real time.
import type { FaultOrder } from '@bookreel/simulator/faults/switchboard'
import { expect, onTestFinished, test } from 'vitest'
import type { Market } from '../../src/domain/market.ts'
import { CATEGORY_PLANS } from '../../src/domain/plan.ts'
import { ConnectGate } from '../../src/venues/connect-gate.ts'
import { runFeed } from '../../src/venues/feed.ts'
import { FrameRing } from '../../src/venues/frame-ring.ts'
import { polymarket } from '../../src/venues/polymarket/venue.ts'
import { Subscriptions } from '../../src/venues/subscriptions.ts'
import type { BinaryBook, FrameProblem } from '../../src/venues/venue.ts'
import { openSimulator, switchOff, switchOn, until } from './open-simulator.ts'

const nowMs = (): number => performance.timeOrigin + performance.now()

/** Runs discovery and follows all books over a real socket until they are proved. */
async function follow() {
  const simulator = await openSimulator()
  const { gamma: gammaUrl, clob: clobUrl, marketSocket: socketUrl } = simulator.addresses
  const venue = polymarket({ gammaUrl, clobUrl, socketUrl })
  const stop = new AbortController()
  const markets: Market[] = []
  for (const plan of CATEGORY_PLANS)
    markets.push(...(await venue.discover(plan, simulator.world.nowMs, stop.signal)).markets)
  const books = new Map<string, BinaryBook>(markets.map((market) => [market.id, venue.openBook(market)]))
  const subscriptions = new Subscriptions(markets.flatMap(({ tokenIds }) => tokenIds))
  const problems: FrameProblem[] = []
  const protocol = venue.openProtocol()
  const running = runFeed(
    {
      rules: venue.socket,
      subscriptions,
      subscribeFrames: (ids) => protocol.subscribeFrames(ids),
      unsubscribeFrames: (ids) => protocol.unsubscribeFrames(ids),
      gate: new ConnectGate({ everyMs: 0, perMinute: 60 }),
      ring: new FrameRing(),
      nowMs,
      owner: {
        opened: () => {},
        lost: () => {},
        frame(text, receivedAtMs) {
          const { events, problems: found } = protocol.decode(text, receivedAtMs)
          problems.push(...found)
          for (const event of events) {
            if (event.kind === 'created' || event.kind === 'resolved') continue
            const id = event.kind === 'trade' ? event.trade.marketId : event.marketId
            books.get(id)?.take(event, receivedAtMs)
          }
          return events.length > 0 ? 'data' : 'no_data'
        },
      },
    },
    stop.signal,
  )
  const settling = setInterval(() => {
    for (const book of books.values()) book.settle(nowMs())
  }, 50)
  onTestFinished(async () => {
    clearInterval(settling)
    stop.abort()
    await running
  })
  await until('all books proved', () => [...books.values()].every(({ proved }) => proved !== undefined))
  const hot = [...simulator.world.markets.values()].find(({ draft }) => draft.slug.startsWith('btc-updown-5m-'))
  const book = books.get(hot?.conditionId ?? '')
  if (book === undefined) throw new Error('no hot market')
  return { simulator, books, book, subscriptions, problems }
}

test('all markets are followed from discovery to proof, and no book is ever in doubt', async () => {
  const { books, book, problems } = await follow()
  let changes = 0
  await until('some hundred changes', () => {
    changes += book.takeChangeCount()
    return changes > 40
  })
  for (const each of books.values()) expect(each.takeDoubts()).toEqual([])
  expect(problems).toEqual([])
  expect(books.size).toBeGreaterThan(40)
})

test.each<FaultOrder['name']>(['drop', 'wrong-size', 'wrong-hash', 'corrupt'])(
  'F12: %s is detected, and a refresh over the same socket proves the book again',
  async (name) => {
    const { simulator, book, subscriptions } = await follow()
    // A hash that is right again ends the failure, so all must be wrong for some seconds.
    const rate = name === 'wrong-hash' ? 1 : 0.3
    const fault = await switchOn(simulator, { name, rate, target: { feed: 'polymarket', market: book.market.id } })
    await until('doubt', () => book.takeDoubts().length > 0, 120_000)
    await switchOff(simulator, fault)
    subscriptions.refresh(book.market.tokenIds)
    await until('proved again', () => book.proved !== undefined && book.doubt === undefined, 120_000)
  },
)

test.each<FaultOrder>([
  { name: 'duplicate' },
  { name: 'unknown-keys' },
  { name: 'unknown-event' },
  { name: 'noise-text' },
  { name: 'wrong-echo' },
  { name: 'empty-array' },
])('$name does not affect proved books', async (order) => {
  const { simulator, book, problems } = await follow()
  await switchOn(simulator, order)
  let changes = 0
  await until('twenty changes', () => {
    changes += book.takeChangeCount()
    return changes > 20
  })
  expect(book.takeDoubts()).toEqual([])
  expect(problems.filter(({ kind }) => kind === 'undecodable')).toEqual([])
  if (order.name === 'unknown-keys') expect(problems.some(({ kind }) => kind === 'unknown_key')).toBe(true)
  if (order.name === 'unknown-event') expect(problems.some(({ kind }) => kind === 'unknown_event')).toBe(true)
})

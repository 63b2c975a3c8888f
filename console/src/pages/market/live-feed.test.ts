import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { marketLevels } from '../../data/market-levels.ts'
import type { FeedBook, FeedCommand, FeedEnd } from '../../data/stream/feed-messages.ts'
import { LiveMarket } from '../../data/stream/live-market.ts'
import type { FeedSources } from './live-feed.ts'

vi.stubGlobal('location', { origin: 'http://localhost' })
vi.stubGlobal('window', new EventTarget())
const { LiveFeed } = await import('./live-feed.ts')

const START_MS = 1_800_000_000_000
const WINDOW = { market: 'one', fromMs: START_MS, toMs: START_MS + 300_000 }
const NEXT = { market: 'two', fromMs: START_MS + 300_000, toMs: START_MS + 600_000 }
const TAKEN_OVER = { code: 'taken_over', message: '' }
const NO_STREAMS = { code: 'tier_not_allowed', message: '', status: 403 }
const NETWORK = { code: 'network', message: '' }
const CLOSED = { code: 'market_closed', message: '' }

type Events = Parameters<FeedSources['openFeed']>[1]

const page = { visibilityState: 'visible' }

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS })
  page.visibilityState = 'visible'
  vi.stubGlobal('document', page)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Of the clock that the tests move. */
const nowMs = (): number => Number(vi.getMockedSystemTime())

/** A page of which the test plays the stream and the tier. */
function openPage() {
  const levels = marketLevels(250, 1)
  const live = new LiveMarket({ levels, side: 'up', window: WINDOW })
  const client = new QueryClient()
  const tier = { wsConnectionsMax: 0, asked: 0 }
  client.setQueryDefaults(['user-tier'], { retry: false })
  vi.stubGlobal('fetch', async () => {
    tier.asked++
    return Response.json({ wsConnectionsMax: tier.wsConnectionsMax })
  })
  const opened: { readonly command: FeedCommand; readonly tell: Events; isOpen: boolean }[] = []
  const polls: { isOpen: boolean }[] = []
  const sources: FeedSources = {
    openFeed: (command, tell) => {
      const stream = { command, isOpen: true, tell }
      opened.push(stream)
      return () => {
        stream.isOpen = false
      }
    },
    pollBook: () => {
      const poll = { isOpen: true }
      polls.push(poll)
      return () => {
        poll.isOpen = false
      }
    },
  }
  const feed = new LiveFeed(
    { selector: { coin: 'BTC', timeframe: '5m' }, side: 'up', levels, window: WINDOW },
    live,
    client,
    sources,
  )
  live.onChange(() => feed.follow())
  feed.open()
  const newest = () => {
    const stream = opened.at(-1)
    if (stream === undefined) throw new Error('no stream was opened')
    return stream
  }
  return {
    live,
    client,
    feed,
    tier,
    opened,
    polls,
    newest,
    end: (end: FeedEnd) => newest().tell.onEnd({ ...end }),
    isConnected: () => newest().isOpen,
    isPolling: () => polls.at(-1)?.isOpen === true,
  }
}

function book(seq: number): FeedBook {
  const at = seq * 250
  const times = { eventAt: at, receivedAt: at, capturedAt: at, sentAt: at }
  return { market: 'one', seq, bids: [[0.5, 10]], asks: [[0.52, 5]], flags: [], proof: 'hash', ...times }
}

const NOTHING = { columns: [], trades: [], gaps: [], skippedFrames: 0 }

test('after a failure that may pass the stream is opened again, later and later up to a minute', () => {
  const { opened, end } = openPage()
  const waits: number[] = []
  for (let attempt = 0; attempt < 6; attempt++) {
    const count = opened.length
    const endedMs = nowMs()
    end(NETWORK)
    while (opened.length === count && nowMs() < endedMs + 120_000) vi.advanceTimersByTime(1_000)
    waits.push(nowMs() - endedMs)
  }
  expect(waits).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
})

test('a book shows that the service is there: the next failure is tried again after five seconds', () => {
  const { live, opened, end } = openPage()
  for (const waitMs of [10_000, 20_000]) {
    end(NETWORK)
    vi.advanceTimersByTime(waitMs)
  }
  live.apply({ ...NOTHING, book: book(10) }, nowMs())
  end(NETWORK)
  vi.advanceTimersByTime(4_999)
  expect(opened).toHaveLength(3)
  vi.advanceTimersByTime(1)
  expect(opened).toHaveLength(4)
})

test.each(['timeout', 'store_unavailable', 'overloaded', 'rate_limited', 'internal', 'unexpected_answer'])(
  'the end %s may pass',
  (code) => {
    const { opened, end } = openPage()
    end({ code, message: '' })
    vi.advanceTimersByTime(60_000)
    expect(opened).toHaveLength(2)
  },
)

test('a page whose stream was taken over by a newer page waits until its person takes it back, and is then the newer', () => {
  const { feed, newest, opened, end } = openPage()
  newest().tell.onTicket('as the service tells it')
  vi.advanceTimersByTime(90_000)
  end(TAKEN_OVER)
  vi.advanceTimersByTime(600_000)
  expect(opened).toHaveLength(1)
  feed.open()
  expect(newest().command.opened).toEqual({ ms: START_MS + 690_000 })
})

test('a stream that is opened again by itself keeps the time at which the page was opened', () => {
  const { newest, end } = openPage()
  newest().tell.onTicket('as the service tells it')
  end(NETWORK)
  vi.advanceTimersByTime(10_000)
  expect(newest().command.opened).toEqual({ ms: START_MS, at: 'as the service tells it' })
})

test('a stream that is opened again begins with the window that is open then', () => {
  const { live, newest, end } = openPage()
  live.apply({ ...NOTHING, rolledTo: NEXT }, nowMs())
  end(NETWORK)
  vi.advanceTimersByTime(10_000)
  expect(newest().command.request.window).toEqual(NEXT)
})

test('without streams in the tier the book is requested, until the account has a tier with them', async () => {
  const { live, tier, polls, opened, isPolling, isConnected, end } = openPage()
  end(NO_STREAMS)
  expect([live.isPolled, isPolling()]).toEqual([true, true])
  await vi.advanceTimersByTimeAsync(40_000)
  expect([tier.asked, opened.length]).toEqual([2, 1])
  tier.wsConnectionsMax = 1
  await vi.advanceTimersByTimeAsync(20_000)
  expect([live.isPolled, isPolling(), isConnected()]).toEqual([false, false, true])
  await vi.advanceTimersByTimeAsync(120_000)
  expect([tier.asked, polls.length, opened.length]).toEqual([3, 1, 2])
})

test('a hidden page does not ask for the tier, and one without an answer asks again', async () => {
  const { tier, isPolling, isConnected, end } = openPage()
  end(NO_STREAMS)
  page.visibilityState = 'hidden'
  await vi.advanceTimersByTimeAsync(60_000)
  expect(tier.asked).toBe(0)
  page.visibilityState = 'visible'
  tier.wsConnectionsMax = 1
  const answers = globalThis.fetch
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(isPolling()).toBe(true)
  vi.stubGlobal('fetch', answers)
  await vi.advanceTimersByTimeAsync(20_000)
  expect([isPolling(), isConnected()]).toEqual([false, true])
})

test('a page without a stream goes on with the window that the page tells, and asks again while none is open', () => {
  const { live, feed, polls, isPolling, end } = openPage()
  end(NO_STREAMS)
  live.ended(CLOSED, nowMs())
  expect(isPolling()).toBe(false)
  vi.advanceTimersByTime(10_000)
  expect([polls.length, isPolling()]).toEqual([2, true])
  feed.showWindow(NEXT)
  expect([live.market, polls.length, isPolling()]).toEqual(['two', 3, true])
})

test('with a stream the stream itself tells the next window', () => {
  const { live, feed } = openPage()
  feed.showWindow(NEXT)
  expect(live.market).toBe('one')
})

test('when the session has ended the page says so, and nothing is tried again', () => {
  const { client, opened, end } = openPage()
  client.setQueryData(['session'], { state: 'in', who: 'Ada' })
  end({ code: 'unauthenticated', message: '', status: 401 })
  vi.advanceTimersByTime(600_000)
  expect(client.getQueryData(['session'])).toMatchObject({ state: 'ended' })
  expect(opened).toHaveLength(1)
})

test('a page that is left neither streams nor asks again', () => {
  const { feed, opened, isConnected, end } = openPage()
  feed.close()
  expect(isConnected()).toBe(false)
  feed.open()
  end(NETWORK)
  feed.close()
  vi.advanceTimersByTime(600_000)
  expect(opened).toHaveLength(2)
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { marketLevels } from '../market-levels.ts'
import { LiveMarket } from './live-market.ts'

vi.stubGlobal('location', { origin: 'http://localhost' })
const { POLL_EVERY_MS, pollBook } = await import('./poll-book.ts')

const levels = marketLevels(250, 1)
const window = { market: 'one', fromMs: 0, toMs: 300_000 }

class VisiblePage extends EventTarget {
  visibilityState = 'visible'

  become(state: 'visible' | 'hidden'): void {
    this.visibilityState = state
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

const page = new VisiblePage()
let asked = 0
let answer: () => Response

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
  asked = 0
  answer = () => Response.json({ market_id: 'one', age_ms: 100, stale: false, up: token(0.5), down: token(0.48) })
  page.become('visible')
  vi.stubGlobal('document', page)
  vi.stubGlobal('fetch', async () => {
    asked++
    return answer()
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function token(bid: number) {
  const at = Number(vi.getMockedSystemTime()) - 100
  return {
    bids: [{ price: bid, size: 10 }],
    asks: [{ price: bid + 0.02, size: 5 }],
    midPrice: bid + 0.01,
    sequenceNumber: at / 250,
    captureTimestamp: at,
    eventTimestamp: at,
    flags: ['verified'],
    proof: 'hash',
  }
}

function refusal(status: number, error: string): () => Response {
  return () => Response.json({ error, message: '', request_id: 'r' }, { status })
}

function poll() {
  const live = new LiveMarket({ levels, side: 'up', window })
  return { live, stop: pollBook({ selector: { market: 'one' }, side: 'up', levels, window }, live) }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('the book is requested every three seconds: twenty requests a minute', async () => {
  const { live, stop } = poll()
  await pass(60_000 - 1)
  expect([asked, live.book?.bids, live.connection]).toEqual([60_000 / POLL_EVERY_MS, [[0.5, 10]], 'live'])
  stop()
  await pass(60_000)
  expect(asked).toBe(20)
})

test('a hidden page asks for nothing, and asks at once when it is seen again', async () => {
  const { stop } = poll()
  await pass(1)
  page.become('hidden')
  await pass(60_000)
  expect(asked).toBe(1)
  page.become('visible')
  await pass(1)
  expect(asked).toBe(2)
  stop()
})

test('a request without an answer is repeated after five seconds, and the page says meanwhile that the book is old', async () => {
  const { live, stop } = poll()
  await pass(1)
  answer = refusal(503, 'store_unavailable')
  await pass(POLL_EVERY_MS)
  await vi.waitUntil(() => live.connection === 'lost')
  const failed = asked
  answer = () => Response.json({ market_id: 'one', age_ms: 0, stale: false, up: token(0.6), down: token(0.38) })
  await pass(4_000)
  expect(asked).toBe(failed)
  await pass(1_000)
  expect([live.connection, live.book?.bids]).toEqual(['live', [[0.6, 10]]])
  stop()
})

test.each([
  [401, 'unauthenticated'],
  [402, 'insufficient_credits'],
  [403, 'tier_not_allowed'],
  [404, 'market_closed'],
])('an answer %i %s ends the requests, and is told', async (status, code) => {
  answer = refusal(status, code)
  const { live } = poll()
  await pass(60_000)
  expect([asked, live.end?.code, live.connection]).toEqual([1, code, 'ended'])
})

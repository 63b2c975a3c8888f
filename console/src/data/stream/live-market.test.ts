import { expect, test } from 'vitest'
import { marketLevels } from '../market-levels.ts'
import type { FeedBook, FeedUpdate } from './feed-messages.ts'
import { LiveMarket } from './live-market.ts'

const INTERVAL_MS = 250
const window = { market: 'one', fromMs: 0, toMs: 300_000 }
const next = { market: 'two', fromMs: 300_000, toMs: 600_000 }
const levels = marketLevels(INTERVAL_MS, 1).slice(0, 1)

function bookAt(market: string, seq: number): FeedBook {
  const at = seq * INTERVAL_MS
  const times = { eventAt: at, receivedAt: at, capturedAt: at, sentAt: at }
  return { market, seq, bids: [[0.5, 10]], asks: [[0.52, 5]], flags: [], proof: 'hash', ...times }
}

function told(changed: Partial<FeedUpdate>): FeedUpdate {
  return { columns: [], trades: [], gaps: [], skippedFrames: 0, ...changed }
}

function marketWith(...updates: readonly Partial<FeedUpdate>[]): LiveMarket {
  const live = new LiveMarket({ levels, side: 'up', window })
  for (const [index, update] of updates.entries()) live.apply(told(update), index * INTERVAL_MS)
  return live
}

test('an interruption is hatched in every window of a series, not only in the first', () => {
  const live = marketWith(
    { book: bookAt('one', 1_199), hasEnded: true },
    { rolledTo: next, hasEnded: false },
    { book: bookAt('two', 1_210), connection: 'live' },
    { connection: 'lost' },
  )
  expect(live.map.openGap).toEqual({ fromMs: 1_211 * INTERVAL_MS, text: 'connection lost' })
})

test('a book of after the begin of a gap ends the gap, also when nobody told its end', () => {
  const dark = { fromSlot: 101, cause: 'disconnected' }
  const live = marketWith({ book: bookAt('one', 100), connection: 'live' }, { dark })
  expect(live.gapCause).toBe('disconnected')
  live.apply(told({ book: bookAt('one', 130) }), 9_000)
  expect(live.gapCause).toBeUndefined()
  expect(live.map.openGap).toBeUndefined()
})

test('a page that is opened in a gap hatches it from its start, and shows the last book until another one comes', () => {
  const live = marketWith({ connection: 'live', dark: { fromSlot: 101, cause: 'disconnected' } })
  expect(live.map.openGap).toEqual({ fromMs: 101 * INTERVAL_MS, text: 'missing: disconnected' })
  live.showLast({ ...bookAt('one', 90), sentAt: 130 * INTERVAL_MS }, 'venue_silent', 1_000)
  expect(live.gapCause).toBe('disconnected')
  expect(live.map.openGap?.fromMs).toBe(91 * INTERVAL_MS)
  expect(live.map.nowMs).toBe(130 * INTERVAL_MS)
  expect(live.bookAgeMs(3_000)).toBe(40 * INTERVAL_MS + 2_000)
  live.apply(told({ book: bookAt('one', 140) }), 9_000)
  expect(live.map.openGap).toBeUndefined()
})

test('a last book is shown as old although the stream told no gap, and never replaces one of the stream', () => {
  const live = marketWith({ connection: 'live' })
  live.showLast(bookAt('one', 90), undefined, 1_000)
  expect(live.map.openGap).toEqual({ fromMs: 91 * INTERVAL_MS, text: 'no rows' })
  live.apply(told({ book: bookAt('one', 140) }), 9_000)
  live.showLast(bookAt('one', 90), 'disconnected', 9_100)
  expect([live.book?.seq, live.gapCause, live.map.openGap]).toEqual([140, undefined, undefined])
})

test('former windows take their place in time, each once, and every window but the first has a boundary', () => {
  const live = marketWith({ rolledTo: next })
  const former = [-1, -2].map((index) => ({
    market: `m${index}`,
    fromMs: index * 300_000,
    toMs: (index + 1) * 300_000,
  }))
  live.addFormerWindows([...former, window])
  live.addFormerWindows(former)
  expect(live.windows.map(({ market }) => market)).toEqual(['m-2', 'm-1', 'one', 'two'])
  expect(live.map.boundaries.map(({ atMs }) => atMs)).toEqual([-300_000, 0, 300_000])
})

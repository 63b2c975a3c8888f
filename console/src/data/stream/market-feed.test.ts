import type { BookFrame, StreamEvent } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { marketLevels } from '../market-levels.ts'
import { MarketFeed } from './market-feed.ts'

const INTERVAL_MS = 250
const END_SLOT = 1_200
const levels = marketLevels(INTERVAL_MS, 1).slice(0, 1)
const window = { market: 'one', fromMs: 0, toMs: END_SLOT * INTERVAL_MS }

function snapshot(market: string, seq: number, bid = 0.5): BookFrame {
  const at = seq * INTERVAL_MS
  const sides = { bids: [[bid, 10]] as [number, number][], asks: [[bid + 0.02, 5]] as [number, number][] }
  return {
    channel: 'book',
    type: 'snapshot',
    market,
    seq,
    prev_seq: null,
    event_at: at,
    received_at: at,
    captured_at: at,
    sent_at: at,
    flags: ['verified_up'],
    proof: 'hash',
    up: sides,
    down: sides,
  }
}

function rolled(market: string, atMs: number): StreamEvent {
  return { channel: 'market', type: 'rolled', market, at: atMs, sent_at: atMs }
}

function feedOf(...events: readonly StreamEvent[]): MarketFeed {
  const feed = new MarketFeed({ side: 'up', levels, window })
  for (const event of events) feed.apply(event)
  return feed
}

test('of a column and of the book the newest state is sent, and nothing twice', () => {
  const feed = feedOf(snapshot('one', 100, 0.5), snapshot('one', 101, 0.6))
  const update = feed.take()
  expect(update?.columns).toHaveLength(1)
  expect(update?.columns[0]?.column).toMatchObject({ number: 25, stored: 2, expected: 2, bestBid: 0.6 })
  expect(update?.book).toMatchObject({ seq: 101, upMid: 0.61 })
  expect(feed.take()).toBeUndefined()
})

test('each window is drawn up to its end: late rows of the old one, and no row of a slot twice', () => {
  const feed = feedOf(snapshot('one', END_SLOT - 2, 0.3), rolled('two', (END_SLOT + 2) * INTERVAL_MS))
  for (const event of [
    snapshot('two', END_SLOT + 1, 0.7),
    snapshot('one', END_SLOT - 1, 0.31),
    snapshot('one', END_SLOT + 1, 0.32),
    snapshot('two', END_SLOT + 2, 0.71),
  ])
    feed.apply(event)
  const update = feed.take()
  const facts = update?.columns.map(({ column: { number, stored, bestBid } }) => ({ number, stored, bestBid }))
  expect(facts).toEqual([
    { number: END_SLOT / 4 - 1, stored: 2, bestBid: 0.31 },
    { number: END_SLOT / 4, stored: 2, bestBid: 0.71 },
  ])
  expect(update?.rolledTo).toEqual({ market: 'two', fromMs: window.toMs, toMs: 2 * window.toMs })
  expect(update?.book).toMatchObject({ market: 'two', seq: END_SLOT + 2 })
})

test('a window that ended before the stream began is followed by the one that is streamed', () => {
  const accepted = [
    { selector: { coin: 'BTC', timeframe: '5m' as const }, channel: 'book' as const, markets: ['four'] },
  ]
  const at = 3.2 * window.toMs
  const feed = feedOf({ type: 'connected', tier: 'pro', accepted, rejected: [], at })
  expect(feed.take()?.rolledTo).toEqual({ market: 'four', fromMs: 3 * window.toMs, toMs: 4 * window.toMs })
})

test('a gap is cut to its window and keeps its cause; a market without rows is told until it has some', () => {
  const gap = { channel: 'book', type: 'gap', kind: 'missing', cause: 'disconnected', sent_at: 0 } as const
  const feed = feedOf(snapshot('one', END_SLOT - 10), {
    ...gap,
    market: 'one',
    from_seq: END_SLOT - 9,
    to_seq: END_SLOT + 5,
  })
  const update = feed.take()
  expect(update?.gaps).toEqual([
    { fromSlot: END_SLOT - 9, toSlot: END_SLOT - 1, kind: 'missing', cause: 'disconnected' },
  ])
  expect(update?.columns.map(({ column }) => [column.number, column.stored, column.expected])).toEqual([
    [END_SLOT / 4 - 3, 1, 2],
    [END_SLOT / 4 - 2, 0, 4],
    [END_SLOT / 4 - 1, 0, 4],
  ])
  const status = { channel: 'status', market: 'one', at: 0, sent_at: 0 } as const
  feed.apply({ ...status, type: 'dark', since_seq: 7, cause: 'disconnected' })
  expect(feed.take()?.dark).toEqual({ fromSlot: 7, cause: 'disconnected' })
  feed.apply({ ...status, type: 'live' })
  expect(feed.take()?.dark).toBeNull()
})

test('a lost connection and skipped frames are told', () => {
  const skipped = {
    channel: 'book',
    type: 'skipped',
    market: 'one',
    from_seq: 1,
    to_seq: 38,
    frames: 38,
    sent_at: 0,
  } as const
  const feed = feedOf(skipped, { type: 'disconnected', code: 'network', message: '', at: 0 })
  expect(feed.take()).toMatchObject({ skippedFrames: 38, connection: 'lost' })
})

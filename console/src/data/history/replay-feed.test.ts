import type { StreamEvent } from '@bookreel/sdk'
import { expect, test } from 'vitest'
import { HeatMapData } from '../../views/heat-map/heat-map-data.ts'
import { marketLevels } from '../market-levels.ts'
import { FrameCache } from './frame-cache.ts'
import { ReplayFeed } from './replay-feed.ts'

const levels = marketLevels(250, 1).slice(0, 1)

function snapshot(seq: number): StreamEvent {
  const book = { bids: [[0.5, 10]], asks: [[0.52, 5]], mid: 0.51 }
  const times = { event_at: seq, received_at: seq, captured_at: seq, sent_at: seq }
  const frame = { type: 'snapshot', channel: 'book', market: 'one', seq, flags: [], proof: 'hash', ...times }
  return { ...frame, up: book, down: book } as unknown as StreamEvent
}

/** Expected and stored slots of the columns that a replay of the slots 100 to 119 gives. */
function replayed(...events: readonly StreamEvent[]) {
  const cache = new FrameCache(1_000_000)
  const feed = new ReplayFeed(cache)
  feed.show('up', levels)
  feed.restart(100)
  for (const event of events) feed.apply(event)
  feed.complete(119)
  const data = new HeatMapData(levels)
  for (const { level, column } of feed.takeColumns()) data.join(level, column)
  const ring = data.rings[0]
  const counts = [25, 26, 27, 28, 29].map((number) => {
    const place = ring?.placeOf(number)
    return place === undefined ? undefined : [ring?.stored[place], ring?.expected[place]]
  })
  return { cache, counts }
}

test('slots without a row at both ends of a replay are missing, and known to be', () => {
  const { cache, counts } = replayed(snapshot(106), snapshot(107), snapshot(108))
  expect(counts).toEqual([
    [0, 4],
    [2, 4],
    [1, 4],
    [0, 4],
    [0, 4],
  ])
  expect(cache.firstUnknown(100)).toBe(120)
  expect([cache.isMissing(105), cache.isMissing(106), cache.isMissing(119)]).toEqual([true, false, true])
})

test('a replay without any row has only missing slots', () => {
  const { cache, counts } = replayed()
  expect(counts).toEqual(Array.from({ length: 5 }, () => [0, 4]))
  expect(cache.firstUnknown(100)).toBe(120)
})

import { expect, test } from 'vitest'
import { FormerWindows, type MarketPage } from './former-windows.ts'
import type { FeedWindow } from './stream/feed-messages.ts'
import { LiveMarket } from './stream/live-market.ts'

const LENGTH_MS = 300_000
const OPEN = 100

function windowAt(index: number): FeedWindow {
  return { market: `m${index}`, fromMs: index * LENGTH_MS, toMs: (index + 1) * LENGTH_MS }
}

/** Two markets on a page, from the one that opens next back to the first one that is recorded. */
function scene({ oldest = 90, failures = 0 } = {}) {
  const live = new LiveMarket({ levels: [], side: 'up', window: windowAt(OPEN) })
  const asked: (string | undefined)[] = []
  const left = { failures, requests: Infinity }
  const former = new FormerWindows({
    live,
    mayAsk: () => left.requests-- > 0,
    fetchPage: async (cursor): Promise<MarketPage> => {
      asked.push(cursor)
      if (left.failures-- > 0) throw new Error('away')
      const first = cursor === undefined ? Number(live.market.slice(1)) + 1 : Number(cursor)
      const markets = [first, first - 1].map((index) => ({ market: `m${index}`, endMs: (index + 1) * LENGTH_MS }))
      return { markets, next: first - 1 > oldest ? String(first - 2) : undefined }
    },
  })
  const shown = () => live.windows.map(({ market }) => market)
  const want = async (index: number, nowMs = 0): Promise<void> => {
    former.want(index * LENGTH_MS, nowMs)
    former.want(index * LENGTH_MS, nowMs)
    await new Promise((resolve) => setTimeout(resolve))
  }
  return { live, asked, former, left, shown, want }
}

test('windows are listed as far back as the map shows, each page once, and the map has their boundaries', async () => {
  const { live, asked, former, shown, want } = scene()
  for (let turn = 0; turn < 6; turn++) await want(96)
  expect(shown()).toEqual(['m96', 'm97', 'm98', 'm99', 'm100'])
  expect(asked).toEqual([undefined, '99', '97'])
  expect(live.map.boundaries.map(({ atMs }) => atMs / LENGTH_MS)).toEqual([97, 98, 99, 100])
  expect([95, 96].map((index) => former.isListed(index * LENGTH_MS))).toEqual([false, true])
})

test('before the first market of a series nothing is awaited any more', async () => {
  const { former, asked, want } = scene({ oldest: 98 })
  for (let turn = 0; turn < 5; turn++) await want(0)
  expect([former.isListed(0), asked.length]).toEqual([true, 2])
})

test('a list that failed is read again after a while, and none beyond what the page may ask', async () => {
  const { left, asked, want } = scene({ failures: 1 })
  await want(99)
  await want(99, 4_999)
  expect(asked).toHaveLength(1)
  left.requests = 0
  await want(99, 5_000)
  expect(asked).toHaveLength(1)
  left.requests = 1
  await want(99, 5_000)
  expect(asked).toHaveLength(2)
})

test('a page that slept reads the windows that it has missed; one that rolled does not', async () => {
  const { live, asked, shown, want } = scene()
  for (let turn = 0; turn < 3; turn++) await want(99)
  live.roll(windowAt(101), 0)
  await want(99)
  expect(asked).toHaveLength(2)
  live.roll(windowAt(104), 0)
  for (let turn = 0; turn < 4; turn++) await want(102)
  expect(shown()).toEqual(['m98', 'm99', 'm100', 'm101', 'm102', 'm103', 'm104'])
})

test('a page lists a limited number of windows, however far back it is moved', async () => {
  const { live, want } = scene({ oldest: -1_000 })
  for (let turn = 0; turn < 200; turn++) await want(-900)
  expect(live.windows.length).toBeGreaterThanOrEqual(300)
  expect(live.windows.length).toBeLessThan(303)
})

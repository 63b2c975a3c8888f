import { expect, test } from 'vitest'
import { type HeatGap, HeatMapData, MOST_TRADES } from '../views/heat-map/heat-map-data.ts'
import { discOf } from './disc-of.ts'
import { PastLoader, type TradePage } from './past-loader.ts'
import type { ShownTrade } from './stream/live-market.ts'

const MINUTE_MS = 60_000
const NOW_MS = 300 * MINUTE_MS
const PARTS = [280, 285, 290, 295].map((minute) => ({
  market: `m${minute}`,
  fromMs: minute * MINUTE_MS,
  toMs: (minute + 5) * MINUTE_MS,
}))
const EVER = [{ market: 'one', fromMs: -Infinity, toMs: Infinity }]

function tradeAt(atMs: number): ShownTrade {
  return { id: String(atMs), atMs, side: 'UP', action: 'buy', price: 0.5, size: 1 }
}

/** A trade each `everyMs` of every market, `perPage` on a page. */
function scene({ parts = PARTS, everyMs = 20_000, perPage = 10, isPolled = false } = {}) {
  const data = new HeatMapData([])
  const asked: string[] = []
  const state = { isAway: false, mayAsk: true }
  const fetchTrades = async (part: (typeof PARTS)[number], cursor: string | undefined): Promise<TradePage> => {
    asked.push(`trades ${part.market} ${cursor ?? ''}`.trim())
    if (state.isAway) throw new Error('away')
    const firstMs = cursor === undefined ? Math.min(part.toMs, NOW_MS) : Number(cursor)
    const times = Array.from({ length: perPage }, (_, index) => firstMs - (index + 1) * everyMs)
    const inside = times.filter((atMs) => atMs >= part.fromMs)
    const next = inside.length < perPage ? undefined : String(inside.at(-1))
    return { trades: inside.map(tradeAt), next }
  }
  const gap: HeatGap = { fromMs: 289 * MINUTE_MS, toMs: 291 * MINUTE_MS, kind: 'missing', cause: 'disconnected' }
  const loader = new PastLoader({
    data,
    parts: () => parts,
    fetchTrades,
    fetchGaps: async ({ market }, fromMs) => {
      asked.push(`gaps ${market} ${fromMs / MINUTE_MS}`)
      if (state.isAway) throw new Error('away')
      return [gap]
    },
    add: (trades, gaps) => {
      data.addTrades(trades.map((trade) => discOf(trade, 'up')))
      data.addGaps(gaps)
    },
    isListed: (atMs) => atMs >= (parts[0]?.fromMs ?? 0),
    mayAsk: () => state.mayAsk,
    isPolled: () => isPolled,
    openedMs: NOW_MS,
  })
  const want = async (fromMinute: number, nowMs = NOW_MS): Promise<void> => {
    for (let turn = 0; turn < 12; turn++) {
      loader.want(fromMinute * MINUTE_MS, NOW_MS, nowMs)
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  return { data, asked, state, want }
}

test('only what is on the screen is loaded, each part once, and the gaps of a window are those of its own time', async () => {
  const { data, asked, want } = scene({ everyMs: MINUTE_MS })
  await want(291)
  expect(asked.toSorted()).toEqual(['gaps m290 290', 'gaps m295 295', 'trades m290', 'trades m295'])
  expect(data.gaps).toEqual([
    { fromMs: 290 * MINUTE_MS, toMs: 291 * MINUTE_MS, kind: 'missing', cause: 'disconnected' },
  ])
  expect(data.tradesFromMs).toBe(290 * MINUTE_MS)
  await want(286)
  expect(asked.filter((each) => each.startsWith('trades'))).toEqual(['trades m295', 'trades m290', 'trades m285'])
  expect(data.tradesFromMs).toBe(285 * MINUTE_MS)
})

test('trades are loaded page by page until the screen is full', async () => {
  const { data, asked, want } = scene()
  await want(296)
  const pages = asked.filter((each) => each.startsWith('trades m295'))
  expect(pages).toHaveLength(2)
  expect(data.tradesFromMs).toBe(295 * MINUTE_MS)
})

test('there is a most of trades, and the map knows since when it shows them', async () => {
  const { data, asked, want } = scene({ parts: EVER, everyMs: 5_000, perPage: 500 })
  await want(0)
  expect(asked.filter((each) => each.startsWith('trades'))).toHaveLength(MOST_TRADES / 500)
  expect([data.trades.length, data.isFullOfTrades]).toEqual([MOST_TRADES, true])
  const oldestMs = NOW_MS - MOST_TRADES * 5_000
  expect(data.tradesFromMs).toBe(oldestMs + 1)
  data.addTrades([discOf(tradeAt(NOW_MS), 'up')])
  expect(data.tradesFromMs).toBe(oldestMs + 1)
  data.addTrades([discOf(tradeAt(NOW_MS + 1), 'up')])
  expect(data.tradesFromMs).toBe(oldestMs + 5_001)
})

test('gaps of a single market are loaded for the longest time on a map, and further back when it is moved', async () => {
  const { asked, want } = scene({ parts: EVER })
  await want(290)
  await want(70)
  await want(31)
  expect(asked.filter((each) => each.startsWith('gaps'))).toEqual(['gaps one 60', 'gaps one 0'])
})

test('while a store is away the map says so, and loads everything when it is back', async () => {
  const { data, asked, state, want } = scene({ everyMs: MINUTE_MS })
  state.isAway = true
  await want(296)
  expect([data.unknownTrades, data.tradesFromMs]).toEqual([{ beforeMs: NOW_MS, why: 'failed' }, NOW_MS])
  expect(asked).toHaveLength(2)
  state.isAway = false
  await want(296, NOW_MS + 4_999)
  expect(asked).toHaveLength(2)
  await want(296, NOW_MS + 5_000)
  expect([data.unknownTrades.why, data.tradesFromMs]).toEqual(['coming', 295 * MINUTE_MS])
})

test('nothing is sent beyond what the page may ask', async () => {
  const { asked, state, want } = scene()
  state.mayAsk = false
  await want(280)
  expect(asked).toEqual([])
})

test('the newest trades are requested once more, and again and again where no stream tells them', async () => {
  for (const [isPolled, times] of [
    [false, 2],
    [true, 4],
  ] as const) {
    const { asked, want } = scene({ everyMs: MINUTE_MS, isPolled })
    for (let seconds = 0; seconds <= 60; seconds += 5) await want(296, NOW_MS + seconds * 1_000)
    expect(asked.filter((each) => each === 'trades m295')).toHaveLength(times)
  }
})

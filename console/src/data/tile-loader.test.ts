import type { HeatMap } from '@bookreel/sdk'
import { expect, test, vi } from 'vitest'
import { HeatMapData } from '../views/heat-map/heat-map-data.ts'
import type { LiveColumnsForm } from '../views/heat-map/live-columns.ts'
import { TileLoader } from './tile-loader.ts'

const TILE_MS = 256_000
const NOW_MS = 10 * TILE_MS
const form: LiveColumnsForm = {
  intervalMs: 250,
  slotsPerColumn: 4,
  rows: 1,
  priceFrom: 0,
  priceStep: 1,
  scale: { unit: 0.01, stepsPerOctave: 7 },
  emptyBid: 0,
  emptyAsk: 1,
}

function tileAt(fromMs: number, { isFinal, stored }: { isFinal: boolean; stored: number }): HeatMap {
  const all = <T>(value: T): T[] => new Array<T>(256).fill(value)
  return {
    market_id: 'one',
    venue: 'polymarket',
    side: 'UP',
    from: new Date(fromMs).toISOString(),
    column_ms: 1_000,
    columns: 256,
    price_from: 0,
    price_step: 1,
    rows: 1,
    scale: { kind: 'log2', unit: 0.01, steps_per_octave: 7 },
    bids: btoa('\u0001'.repeat(256)),
    asks: btoa('\u0000'.repeat(256)),
    best_bid: all(0.5),
    best_ask: all(0.6),
    stored: all(stored),
    expected: all(4),
    suspect: all(0),
    is_final: isFinal,
    revision: 1,
  }
}

function scene(tile: { isFinal: boolean; stored: number }) {
  const data = new HeatMapData([form])
  data.nowMs = NOW_MS
  const asked: number[] = []
  const failures = { left: 1 }
  const loader = new TileLoader({
    data,
    parts: () => [{ market: 'one', fromMs: 6.5 * TILE_MS, toMs: Number.POSITIVE_INFINITY }],
    fetchTile: async (_market, fromMs) => {
      asked.push(fromMs / TILE_MS)
      if (fromMs === 7 * TILE_MS && failures.left-- > 0) throw new Error('away')
      return tileAt(fromMs, tile)
    },
  })
  return { data, asked, failures, loader }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

test('each tile of the view is requested once, from the start of the market on; one that failed again later', async () => {
  const { data, asked, loader } = scene({ isFinal: true, stored: 4 })
  loader.want(0, 0, NOW_MS, NOW_MS)
  loader.want(0, 0, NOW_MS, NOW_MS)
  await settled()
  expect(asked).toEqual([6, 7, 8, 9])
  expect(data.failedTiles).toEqual([{ level: 0, fromMs: 7 * TILE_MS, toMs: 8 * TILE_MS, error: new Error('away') }])
  loader.want(0, 0, NOW_MS, NOW_MS + 3_000)
  await settled()
  expect(asked).toEqual([6, 7, 8, 9, 7])
  expect(data.failedTiles).toEqual([])
  const places = [6.4, 6.6, 7.5].map((tiles) => data.rings[0]?.placeOf(data.numberAt(0, tiles * TILE_MS)))
  expect(places.map((place) => place !== undefined)).toEqual([false, true, true])
})

test('a map that does not move asks again for a tile that failed, within 12 seconds however often it failed', async () => {
  vi.useFakeTimers({ now: NOW_MS })
  try {
    const { data, asked, failures, loader } = scene({ isFinal: true, stored: 4 })
    failures.left = 5
    data.onChange(() => loader.want(0, 7 * TILE_MS, 8 * TILE_MS, Number(vi.getMockedSystemTime())))
    data.changed()
    for (const [ms, requests] of [
      [2_900, 1],
      [200, 2],
      [6_000, 3],
      [12_000, 4],
      [12_000, 5],
      [12_000, 6],
      [60_000, 6],
    ] as const) {
      await vi.advanceTimersByTimeAsync(ms)
      expect(asked).toHaveLength(requests)
    }
    expect(data.failedTiles).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

test('tiles that failed are requested at once when somebody asks for it', async () => {
  const { data, asked, failures, loader } = scene({ isFinal: true, stored: 4 })
  failures.left = 2
  for (const nowMs of [NOW_MS, NOW_MS + 1]) {
    loader.want(0, 7 * TILE_MS, 8 * TILE_MS, nowMs)
    await settled()
    expect(data.failedTiles).toHaveLength(1)
    loader.retry()
    expect(data.failedTiles).toEqual([])
  }
  loader.want(0, 7 * TILE_MS, 8 * TILE_MS, NOW_MS + 2)
  await settled()
  expect([asked, data.failedTiles]).toEqual([[7, 7, 7], []])
})

test('rows that no gap explains are requested again, also beside a gap and in doubtful time', async () => {
  const { data, asked, loader } = scene({ isFinal: false, stored: 3 })
  const want = (nowMs: number) => {
    loader.want(0, 8 * TILE_MS, 9 * TILE_MS, nowMs)
    return settled()
  }
  await want(NOW_MS)
  data.addGaps([
    { fromMs: 8 * TILE_MS, toMs: 9 * TILE_MS, kind: 'suspect', cause: 'disconnected' },
    { fromMs: 8 * TILE_MS, toMs: 9 * TILE_MS - 1_000, kind: 'missing', cause: 'disconnected' },
  ])
  await want(NOW_MS + 3_000)
  expect(asked).toEqual([8, 8])
  data.addGaps([{ fromMs: 9 * TILE_MS - 1_000, toMs: 9 * TILE_MS, kind: 'missing', cause: 'disconnected' }])
  await want(NOW_MS + 60_000)
  expect(asked).toEqual([8, 8])
})

test('a tile that failed is told only while it is on the screen', async () => {
  const { data, loader } = scene({ isFinal: false, stored: 4 })
  loader.want(0, 7 * TILE_MS, 9 * TILE_MS, NOW_MS)
  await settled()
  expect(data.failedTiles).toHaveLength(1)
  let changes = 0
  data.onChange(() => changes++)
  loader.want(0, 8 * TILE_MS, 9 * TILE_MS, NOW_MS + 1)
  expect(data.failedTiles).toEqual([])
  loader.want(0, 7 * TILE_MS, 9 * TILE_MS, NOW_MS + 2)
  loader.want(0, 7 * TILE_MS, 9 * TILE_MS, NOW_MS + 3)
  expect(data.failedTiles).toHaveLength(1)
  expect(changes).toBe(2)
})

test('a tile that failed is not told any more once the gaps say why its rows are missing', async () => {
  const { data, asked, failures, loader } = scene({ isFinal: false, stored: 3 })
  failures.left = 0
  loader.want(0, 7 * TILE_MS, 8 * TILE_MS, NOW_MS)
  await settled()
  failures.left = 1
  loader.want(0, 7 * TILE_MS, 8 * TILE_MS, NOW_MS + 3_000)
  await settled()
  expect(data.failedTiles).toHaveLength(1)
  data.addGaps([{ fromMs: 7 * TILE_MS, toMs: 8 * TILE_MS, kind: 'missing', cause: 'disconnected' }])
  loader.want(0, 7 * TILE_MS, 8 * TILE_MS, NOW_MS + 60_000)
  await settled()
  expect([asked, data.failedTiles]).toEqual([[7, 7], []])
})

test('a tile with holes is requested again, less and less often, and a whole one is not', async () => {
  const holes = scene({ isFinal: false, stored: 3 })
  const whole = scene({ isFinal: false, stored: 4 })
  for (const { loader } of [holes, whole]) {
    for (let seconds = 0; seconds < 40; seconds++) {
      loader.want(0, 8 * TILE_MS, 9 * TILE_MS, NOW_MS + seconds * 1_000)
      await settled()
    }
  }
  expect(holes.asked).toEqual([8, 8, 8, 8])
  expect(whole.asked).toEqual([8])
})

test('a time is awaited until a tile of its market has answered, and none outside of the known markets', async () => {
  const { data, loader } = scene({ isFinal: false, stored: 4 })
  const awaited = () =>
    [6.2, 6.6, 7.5, 9.9, 10.1].map((tiles) => data.isAwaited(0, tiles * TILE_MS, tiles * TILE_MS + 1))
  expect(awaited()).toEqual([false, true, true, true, false])
  loader.want(0, 0, NOW_MS, NOW_MS)
  await settled()
  // The second tile failed, and the rows of the last seconds may still come.
  expect(awaited()).toEqual([false, false, true, false, false])
  expect(data.isAwaited(0, NOW_MS - 5_000, NOW_MS - 4_000)).toBe(true)
})

test('a time of which the markets are not known is awaited, and nothing is sent beyond what the page may ask', async () => {
  const data = new HeatMapData([form])
  data.nowMs = NOW_MS
  let left = 1
  const asked: number[] = []
  const loader = new TileLoader({
    data,
    parts: () => [{ market: 'one', fromMs: 8 * TILE_MS, toMs: Number.POSITIVE_INFINITY }],
    isListed: (atMs) => atMs >= 7 * TILE_MS,
    mayAsk: () => left-- > 0,
    fetchTile: async (_market, fromMs) => {
      asked.push(fromMs / TILE_MS)
      return tileAt(fromMs, { isFinal: true, stored: 4 })
    },
  })
  loader.want(0, 0, NOW_MS, NOW_MS)
  await settled()
  expect(asked).toEqual([8])
  const times = [6.5, 7.5, 8.5, 9.5].map((tiles) => tiles * TILE_MS)
  expect(times.map((atMs) => data.isAwaited(0, atMs, atMs + 1))).toEqual([true, false, false, true])
})

import type { GapEntry } from '@bookreel/sdk'
import { FormerWindows } from '../../data/former-windows.ts'
import { fetchGaps, fetchSeries, fetchTile, fetchTrades } from '../../data/live-queries.ts'
import type { MapStep } from '../../data/map-steps.ts'
import type { Series } from '../../data/market-queries.ts'
import { PastLoader } from '../../data/past-loader.ts'
import { RequestPace } from '../../data/request-pace.ts'
import type { LiveMarket } from '../../data/stream/live-market.ts'
import { TileLoader } from '../../data/tile-loader.ts'
import type { HeatGap } from '../../views/heat-map/heat-map-data.ts'

export interface LivePast {
  /** Called with what is on the screen before it is drawn. */
  readonly want: (level: number, fromMs: number, toMs: number) => void
  /** Requests again what could not be loaded. */
  readonly retry: () => void
}

interface PastOptions {
  readonly side: 'up' | 'down'
  readonly step: MapStep
  readonly venue: string
  /** The page shows the windows of this series. */
  readonly series: Series | undefined
}

/** The console may send 300 requests a minute; without streams 60, of which the books need 20. */
const PER_MINUTE = { streamed: 200, polled: 20 } as const

/** Everything of before now that a live page shows: tiles, trades, gaps and the windows of a series. */
export function livePast(live: LiveMarket, { side, step, venue, series }: PastOptions): LivePast {
  const pace = new RequestPace(() => PER_MINUTE[live.isPolled ? 'polled' : 'streamed'])
  const mayAsk = (nowMs: number): boolean => pace.take(nowMs)
  const parts = () => live.windows
  const former =
    series && new FormerWindows({ live, mayAsk, fetchPage: (cursor) => fetchSeries(series, venue, cursor) })
  const isListed = (atMs: number): boolean => former?.isListed(atMs) ?? true
  const tiles = new TileLoader({
    data: live.map,
    parts,
    isListed,
    mayAsk,
    fetchTile: (market, fromMs, columnMs) => fetchTile(market, { side, step }, fromMs, columnMs),
  })
  const past = new PastLoader({
    data: live.map,
    parts,
    isListed,
    mayAsk,
    isPolled: () => live.isPolled,
    openedMs: Date.now(),
    fetchGaps: async ({ market }, fromMs) => (await fetchGaps(market, fromMs)).gaps.map(heatGapOf),
    fetchTrades,
    add: (trades, gaps) => live.addPast(trades, gaps, Date.now()),
  })
  return {
    want: (level, fromMs, toMs) => {
      const nowMs = Date.now()
      former?.want(fromMs, nowMs)
      tiles.want(level, fromMs, toMs, nowMs)
      past.want(fromMs, toMs, nowMs)
    },
    retry: () => tiles.retry(),
  }
}

function heatGapOf({ from, to, kind, cause }: GapEntry): HeatGap {
  return { fromMs: Date.parse(from), toMs: Date.parse(to), kind, cause }
}

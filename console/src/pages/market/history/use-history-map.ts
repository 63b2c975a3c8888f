import type { Trade } from '@bookreel/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { discOf } from '../../../data/disc-of.ts'
import { tileQuery } from '../../../data/history/history-queries.ts'
import type { GapSpan } from '../../../data/history/steps.ts'
import type { MapStep } from '../../../data/map-steps.ts'
import { marketLevels } from '../../../data/market-levels.ts'
import { TileLoader } from '../../../data/tile-loader.ts'
import { type Boundary, HeatMapData } from '../../../views/heat-map/heat-map-data.ts'
import type { LiveColumnsForm } from '../../../views/heat-map/live-columns.ts'
import type { MarketSide } from '../market-search.ts'
import type { Span } from './chosen-range.ts'

interface MapInput {
  readonly market: string
  readonly side: MarketSide
  readonly intervalMs: number
  readonly step: MapStep
  readonly recorded: Span
  readonly range: Span
  readonly gaps: readonly GapSpan[]
  readonly trades: readonly Trade[]
  readonly boundaries: readonly Boundary[]
}

interface HistoryMap {
  readonly data: HeatMapData
  readonly levels: readonly LiveColumnsForm[]
  /** Number of price steps. */
  readonly rows: number
  readonly onNeed: (level: number, fromMs: number, toMs: number) => void
  /** Requests again what could not be loaded. */
  readonly retry: () => void
}

/** A ring has twice as many columns as the widest screen. */
const SPANS_KEPT = 2

/** The heat map of a past time, from free tiles. */
export function useHistoryMap(input: MapInput): HistoryMap {
  const { market, side, intervalMs, step, recorded, range, gaps, trades, boundaries } = input
  const client = useQueryClient()
  const levels = useMemo(() => marketLevels(intervalMs, step), [intervalMs, step])
  const rings = useRings(range)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another market, token or earlier time needs new rings.
  const data = useMemo(() => new HeatMapData(levels), [levels, market, side, rings])
  const loader = useMemo(
    () =>
      new TileLoader({
        data,
        parts: () => [{ market, ...recorded }],
        fetchTile: (id, fromMs, columnMs) =>
          client.fetchQuery(tileQuery(id, { side: side === 'up' ? 'UP' : 'DOWN', step }, fromMs, columnMs)),
      }),
    [data, market, side, step, recorded, client],
  )
  useEffect(() => {
    data.addGaps(gaps)
    data.addTrades(trades.map((trade) => discOf({ ...trade, atMs: Date.parse(trade.traded_at) }, side)))
    data.boundaries = boundaries
    data.changed()
  }, [data, gaps, trades, boundaries, side])
  const onNeed = useCallback(
    (level: number, fromMs: number, toMs: number) => loader.want(level, fromMs, toMs, Date.now()),
    [loader],
  )
  const retry = useCallback(() => loader.retry(), [loader])
  return { data, levels, rows: levels[0]?.rows ?? 0, onNeed, retry }
}

/** Rings keep what is newest. A range far before that needs new ones; the number changes then. */
function useRings({ fromMs, toMs }: Span): number {
  const [rings, setRings] = useState({ number: 0, newestMs: toMs })
  if (fromMs < rings.newestMs - SPANS_KEPT * (toMs - fromMs)) setRings({ number: rings.number + 1, newestMs: toMs })
  else if (toMs > rings.newestMs) setRings({ ...rings, newestMs: toMs })
  return rings.number
}

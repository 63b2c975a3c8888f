import type { GapReport, HeatMap, Trade } from '@bookreel/sdk'
import { queryOptions } from '@tanstack/react-query'
import { accountClient } from '../clients.ts'
import { type MapStep, PRICE_STEPS } from '../map-steps.ts'
import { joinedPages } from './joined-pages.ts'
import type { GapSpan } from './steps.ts'

const GAPS_PER_PAGE = 5_000
const TRADES_PER_PAGE = 500
/** Trades of a longer time are left out: the newest 2,000 are drawn at most. */
const TRADE_PAGES = 4
const MINUTE_MS = 60_000
const TIER_AGAIN_MS = 5 * MINUTE_MS
const LONGEST_BARS = ['1d', 1_440 * MINUTE_MS] as const
const BAR_LENGTHS = [
  ['1s', 1_000],
  ['5s', 5_000],
  ['10s', 10_000],
  ['30s', 30_000],
  ['1m', MINUTE_MS],
  ['5m', 5 * MINUTE_MS],
  ['15m', 15 * MINUTE_MS],
  ['1h', 60 * MINUTE_MS],
  ['4h', 240 * MINUTE_MS],
  LONGEST_BARS,
] as const
/** More bars than a screen has pixels say nothing. */
const MOST_BARS = 720

/** What is recorded of a market, and its gaps; `next_cursor` is not null when there are more than four pages of them. */
export function recordedQuery(id: string) {
  return queryOptions({
    queryKey: ['recorded', id],
    queryFn: ({ signal }) =>
      joinedPages((page) => accountClient.history.gaps(id, { limit: GAPS_PER_PAGE, ...page }, { signal })),
    staleTime: MINUTE_MS,
    // The oldest time of a tier moves on with the clock.
    refetchInterval: ({ state: { data } }) => (data?.history_from === undefined ? false : TIER_AGAIN_MS),
  })
}

export function gapSpans({ gaps }: GapReport): GapSpan[] {
  return gaps.map(({ from, to, kind, cause }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to), kind, cause }))
}

interface Range {
  readonly fromMs: number
  readonly toMs: number
}

/** Interval and length of bars of which a range has few enough. */
export function overviewBars({ fromMs, toMs }: Range): (typeof BAR_LENGTHS)[number] {
  return BAR_LENGTHS.find(([, ms]) => (toMs - fromMs) / ms <= MOST_BARS) ?? LONGEST_BARS
}

/** Bars of everything that is recorded. */
export function overviewQuery(id: string, side: 'UP' | 'DOWN', range: Range) {
  const [interval, barMs] = overviewBars(range)
  return queryOptions({
    queryKey: ['overview', id, side, interval, range.fromMs, range.toMs],
    queryFn: async ({ signal }) => {
      // Without `from` the service begins with the first bar that the tier includes.
      const { bars } = await accountClient.history.bars(
        id,
        { interval, side, to: range.toMs, limit: 1_000 },
        { signal },
      )
      return { bars, barMs }
    },
    staleTime: MINUTE_MS,
  })
}

/** What the tiles of a past time show. */
export interface PastTiles {
  readonly side: 'UP' | 'DOWN'
  readonly step: MapStep
}

export function tileQuery(id: string, { side, step }: PastTiles, fromMs: number, columnMs: number) {
  return queryOptions({
    queryKey: ['tile', id, side, step, fromMs, columnMs],
    queryFn: ({ signal }): Promise<HeatMap> => {
      const query = { from: fromMs, side, price_step: PRICE_STEPS[step], column_ms: columnMs }
      return accountClient.history.marketHeatmap(id, query, { signal })
    },
    staleTime: MINUTE_MS,
  })
}

export function tradesQuery(id: string, range: Range) {
  return queryOptions({
    queryKey: ['trades-between', id, range.fromMs, range.toMs],
    queryFn: async ({ signal }): Promise<Trade[]> => {
      const query = { marketId: id, from: range.fromMs, to: range.toMs, order: 'desc', limit: TRADES_PER_PAGE } as const
      const trades: Trade[] = []
      let pages = 0
      for await (const page of accountClient.history.tradesPages(query, { signal })) {
        trades.push(...page.trades)
        pages++
        if (pages === TRADE_PAGES) break
      }
      return trades.toReversed()
    },
    staleTime: MINUTE_MS,
  })
}

/** What playing a range costs; free of charge. */
export function replayPriceQuery(id: string, fromMs: number, toMs: number) {
  return queryOptions({
    queryKey: ['replay-price', id, fromMs, toMs],
    queryFn: ({ signal }) => {
      const range = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
      return accountClient.history.estimate({ product: 'replay', markets: [id], ...range }, { signal })
    },
    staleTime: MINUTE_MS,
  })
}

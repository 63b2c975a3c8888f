import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { MapStep } from '../../data/map-steps.ts'
import { marketLevels } from '../../data/market-levels.ts'
import type { MarketDetail, Series } from '../../data/market-queries.ts'
import type { FeedRequest, FeedWindow } from '../../data/stream/feed-messages.ts'
import { LastBook } from '../../data/stream/last-book.ts'
import { LiveMarket } from '../../data/stream/live-market.ts'
import { openFeed } from '../../data/stream/open-feed.ts'
import { pollBook } from '../../data/stream/poll-book.ts'
import { LiveFeed } from './live-feed.ts'
import { type LivePast, livePast } from './live-past.ts'
import type { MarketSide } from './market-search.ts'

interface LiveOptions {
  readonly market: MarketDetail
  readonly side: MarketSide
  readonly step: MapStep
  readonly series: Series | undefined
}

export interface LiveSession extends LivePast {
  readonly live: LiveMarket
  /** Opens the stream again, which takes it over from another tab. */
  readonly reopen: () => void
  readonly showWindow: (window: FeedWindow) => void
}

const TICK_MS = 250

/** The stream of a market page, its tiles and its trades, for as long as the page shows them. */
export function useLiveMarket({ market, side, step, series }: LiveOptions): LiveSession | undefined {
  const client = useQueryClient()
  const [session, setSession] = useState<LiveSession>()
  const [first, setFirst] = useState({ side, step, market })
  // Other rows begin with the window that is open now, so that the windows before it are those on the screen.
  if (first.side !== side || first.step !== step) setFirst({ side, step, market })
  const { market_id: id, capture_interval_ms: intervalMs, venue, start_date: start, end_date: end } = first.market
  const { coin, timeframe } = series ?? {}
  useEffect(() => {
    const levels = marketLevels(intervalMs, step)
    const followed = coin === undefined || timeframe === undefined ? undefined : { coin, timeframe }
    const window = windowOf(id, followed && { start, end })
    const live = new LiveMarket({ levels, side, window })
    live.map.nowMs = Date.now()
    const selector = followed === undefined ? { market: id } : (followed as FeedRequest['selector'])
    const feed = new LiveFeed({ selector, side, levels, window }, live, client, { openFeed, pollBook })
    const past = livePast(live, { side, step, venue, series: followed })
    const removeListener = live.onChange(() => feed.follow())
    const last = new LastBook(live, Date.now())
    const timer = setInterval(() => {
      live.tick(Date.now())
      last.look(Date.now())
    }, TICK_MS)
    feed.open()
    setSession({ live, ...past, reopen: () => feed.open(), showWindow: (each) => feed.showWindow(each) })
    return () => {
      removeListener()
      clearInterval(timer)
      feed.close()
    }
  }, [client, side, step, intervalMs, venue, id, start, end, coin, timeframe])
  const { market_id: openId, start_date: openStart, end_date: openEnd } = market
  useEffect(() => {
    if (coin !== undefined) session?.showWindow(windowOf(openId, { start: openStart, end: openEnd }))
  }, [session, coin, openId, openStart, openEnd])
  // The other token has data of its own. Other rows take the place of the former ones.
  return session?.live.side === side ? session : undefined
}

/** A window of a series is shown for its own time; a single market for all that is recorded of it. */
function windowOf(market: string, window: { start: string | undefined; end: string } | undefined): FeedWindow {
  const fromMs = Date.parse(window?.start ?? '')
  const toMs = Date.parse(window?.end ?? '')
  if (fromMs < toMs) return { market, fromMs, toMs }
  return { market, fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
}

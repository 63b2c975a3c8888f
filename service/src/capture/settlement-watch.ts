import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { COINS, type Market } from '../domain/market.ts'
import type { PriceSeries } from '../domain/price.ts'
import type { SettlementPoint, SettlementPrice } from '../domain/rows/settlement-price.ts'
import { isWindow } from '../domain/slug.ts'
import type { BinaryVenue } from '../venues/venue.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { PriceBoard } from './price-board.ts'

export interface SettlementWatchDeps {
  venue: Pick<BinaryVenue, 'id' | 'fetchWindowPrices' | 'settlesOn'>
  prices: Pick<PriceBoard, 'at'>
  nowMs: () => number
  log: Logger
  metrics: CaptureMetrics
  /** Whether this process records the market. */
  isHeld: (marketId: string) => boolean
  onPrice: (price: SettlementPrice) => void
}

const CHECK_EVERY_MS = 1_000
/** The price of the very second is waited for this long; then one that is a little older counts. */
const WAIT_MS = 10_000
const MAX_AGE_MS = 2_000
/** Later than this the recorded series no longer reaches back. */
const GIVE_UP_MS = 120_000
/** The venue states its prices late, the final one later than the resolution. */
const ASK_AFTER_MS = 60_000
const ASK_UNTIL_MS = 3_600_000
const ASKED_AT_ONCE = 8
const LOG_EVERY_MS = 60_000

interface Awaited {
  readonly market: Market
  /** Undefined when the series that counts is not recorded: only the venue can tell the price. */
  readonly series: PriceSeries | undefined
  readonly point: SettlementPoint
  readonly atMs: number
  /** No price of the recorded series is expected any more. */
  isRecorded: boolean
  /** When the venue is asked; undefined once it has answered or is no longer asked. */
  askAtMs: number | undefined
}

/** Finds the prices that windows start and end with: in the recorded series, and as the venue states them. */
export class SettlementWatch {
  readonly #deps: SettlementWatchDeps
  readonly #awaited = new Map<string, Awaited>()
  #loggedAtMs: number | undefined

  constructor(deps: SettlementWatchDeps) {
    this.#deps = deps
  }

  /** Markets that are not windows of a coin are passed over. */
  note(market: Market): void {
    const coin = COINS.find((symbol) => symbol === market.subcategory)
    if (!isWindow(market) || coin === undefined || market.startsAtMs === undefined) return
    const source = this.#deps.venue.settlesOn(market.timeframe)
    const series = source && { source, coin }
    const points = { start: market.startsAtMs, end: market.endsAtMs }
    for (const point of ['start', 'end'] as const) {
      const atMs = points[point]
      const isRecorded = series === undefined || this.#deps.nowMs() > atMs + GIVE_UP_MS
      const awaited = { market, series, point, atMs, isRecorded, askAtMs: atMs + ASK_AFTER_MS }
      this.#awaited.set(`${market.id} ${point}`, awaited)
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.findRecorded()
      await this.#ask(signal)
      await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Reports what the recorded series has by now. */
  findRecorded(): void {
    const { prices, nowMs, metrics, isHeld } = this.#deps
    for (const [key, awaited] of this.#awaited) {
      const { market, series, atMs } = awaited
      if (series !== undefined && !awaited.isRecorded && nowMs() > atMs) {
        const price = prices.at(series, atMs)
        const isOld = price === undefined || price.priceAtMs < atMs - MAX_AGE_MS
        if (!isOld && (price.priceAtMs === atMs || nowMs() > atMs + WAIT_MS)) {
          // A standby goes on looking: the process that records the market may end before it has published the price.
          awaited.isRecorded = isHeld(market.id) || nowMs() > atMs + GIVE_UP_MS
          if (isHeld(market.id))
            this.#report(awaited, { source: series.source, price: price.price, priceAtMs: price.priceAtMs })
        } else if (nowMs() > atMs + GIVE_UP_MS) {
          awaited.isRecorded = true
          if (isHeld(market.id)) metrics.settlementsMissed.inc({ source: series.source })
        }
      }
      if (awaited.isRecorded && awaited.askAtMs === undefined) this.#awaited.delete(key)
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { venue, nowMs, log, isHeld } = this.#deps
    const due = [...this.#awaited.values()].filter(({ askAtMs }) => askAtMs !== undefined && askAtMs <= nowMs())
    for (const awaited of due.slice(0, ASKED_AT_ONCE)) {
      const { market, point, atMs } = awaited
      // Another process records the market, and may stop doing so.
      const lastAtMs = isHeld(market.id) ? atMs : market.endsAtMs
      awaited.askAtMs = nowMs() > lastAtMs + ASK_UNTIL_MS ? undefined : nowMs() + ASK_AFTER_MS
      if (!isHeld(market.id)) continue
      try {
        const price = (await venue.fetchWindowPrices(market.eventSlug, signal))[point]
        if (price === undefined) continue
        awaited.askAtMs = undefined
        this.#report(awaited, { source: venue.id, price, priceAtMs: atMs })
      } catch (error) {
        if (signal.aborted) return
        if (this.#loggedAtMs !== undefined && nowMs() - this.#loggedAtMs < LOG_EVERY_MS) continue
        this.#loggedAtMs = nowMs()
        log.warn({ err: error, venue: venue.id }, 'fetching prices of windows failed')
      }
    }
  }

  #report({ market, point, atMs }: Awaited, found: Pick<SettlementPrice, 'source' | 'price' | 'priceAtMs'>): void {
    const knownAtMs = Math.round(this.#deps.nowMs())
    this.#deps.onPrice({ marketId: market.id, point, settlesAtMs: atMs, knownAtMs, ...found })
  }
}

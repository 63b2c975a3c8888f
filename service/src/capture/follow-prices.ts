import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { PriceSeries } from '../domain/price.ts'
import { type RawSink, recordSocket } from '../domain/raw-record.ts'
import { ConnectGate } from '../venues/connect-gate.ts'
import { runFeed } from '../venues/feed.ts'
import type { FrameOutcome } from '../venues/feed-options.ts'
import type { FrameDumps } from '../venues/frame-dumps.ts'
import { FrameRing } from '../venues/frame-ring.ts'
import type { PriceVenue } from '../venues/price-venue.ts'
import { Subscriptions } from '../venues/subscriptions.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { PriceBoard } from './price-board.ts'
import { ProblemLog } from './problem-log.ts'

export interface FollowPricesDeps {
  venue: PriceVenue
  board: PriceBoard
  nowMs: () => number
  log: Logger
  metrics: CaptureMetrics
  frameDumps?: FrameDumps | undefined
  raw?: RawSink | undefined
  /** A series without a price for this long after it was subscribed is missing. */
  firstPriceWithinMs?: number
}

const FIRST_PRICE_WITHIN_MS = 30_000
const LIST_EVERY_MS = 3_600_000
const LIST_AGAIN_MS = 60_000
const CHECK_EVERY_MS = 1_000
const REPORT_EVERY_MS = 60_000

/** Follows the prices of one venue. A venue that is away is a state that is reported, not an error. */
export class FollowPrices {
  readonly #deps: FollowPricesDeps
  readonly #problems: ProblemLog
  readonly #subscriptions = new Subscriptions()
  /** The series that the venue has, and since when they are subscribed. */
  readonly #sinceMs = new Map<PriceSeries, number>()
  #reportedAtMs: number | undefined
  /** Why the socket was last lost or refused. */
  #trouble: string | undefined

  constructor(deps: FollowPricesDeps) {
    this.#deps = deps
    this.#problems = new ProblemLog(deps.log)
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#list(signal), this.#listen(signal), this.#watch(signal)])
  }

  /** The series that should have a price and have none. */
  missing(): PriceSeries[] {
    const { board, nowMs, firstPriceWithinMs = FIRST_PRICE_WITHIN_MS } = this.#deps
    return [...this.#sinceMs]
      .filter(([series, sinceMs]) => board.fresh(series) === undefined && nowMs() - sinceMs > firstPriceWithinMs)
      .map(([series]) => series)
  }

  /** A stream that does not exist is accepted in silence, so only what the venue lists is subscribed. */
  async #list(signal: AbortSignal): Promise<void> {
    const { venue } = this.#deps
    while (!signal.aborted) {
      let isListed = true
      try {
        this.#follow(await venue.listSeries(signal))
      } catch (error) {
        if (signal.aborted) return
        isListed = false
        this.#problems.warn('listing prices failed', venue.id, { err: error, venue: venue.id })
        if (this.#sinceMs.size === 0) this.#follow(venue.series)
      }
      await sleep(isListed ? LIST_EVERY_MS : LIST_AGAIN_MS, undefined, { signal }).catch(() => {})
    }
  }

  #follow(listed: readonly PriceSeries[]): void {
    const { venue, nowMs, log, metrics } = this.#deps
    const unlisted = venue.series.filter((series) => !listed.includes(series))
    for (const series of listed) {
      if (!this.#sinceMs.has(series)) this.#sinceMs.set(series, nowMs())
      metrics.priceUnlisted.set({ source: series.source, coin: series.coin }, 0)
    }
    for (const series of unlisted) {
      this.#sinceMs.delete(series)
      metrics.priceUnlisted.set({ source: series.source, coin: series.coin }, 1)
      metrics.priceMissing.remove({ source: series.source, coin: series.coin })
    }
    const streams = new Set(listed.map((series) => venue.streamOf(series)))
    this.#subscriptions.remove(this.#subscriptions.ids.filter((id) => !streams.has(id)))
    this.#subscriptions.add(streams)
    if (unlisted.length > 0)
      log.info({ venue: venue.id, coins: unlisted.map(({ coin }) => coin) }, 'the venue has no price of these coins')
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { venue, nowMs, metrics } = this.#deps
    const ring = new FrameRing()
    await runFeed(
      {
        rules: venue.socket,
        subscriptions: this.#subscriptions,
        subscribeFrames: (streams) => venue.subscribeFrames(streams),
        unsubscribeFrames: (streams) => venue.unsubscribeFrames(streams),
        owner: {
          opened: () => {},
          frame: (text, receivedAtMs) => this.#take(text, receivedAtMs, ring),
          lost: (cause, detail) => {
            metrics.lost.inc({ cause })
            this.#trouble = `${cause}: ${detail}`
          },
          refused: (detail) => {
            this.#trouble = detail
          },
        },
        gate: new ConnectGate({ everyMs: 250, perMinute: 20 }),
        ring,
        nowMs,
        backOff: venue.backOff(),
        record: recordSocket(this.#deps.raw, venue.id, 'prices'),
      },
      signal,
    )
  }

  #take(text: string, receivedAtMs: number, ring: FrameRing): FrameOutcome {
    const { venue, board, metrics, frameDumps } = this.#deps
    const { events, problems } = venue.decode(text)
    metrics.frames.inc({ venue: venue.id })
    const untimely = events.filter((event) => !board.take(event, receivedAtMs))
    const wrongTimes = untimely.map(({ source, coin }) => ({
      kind: 'undecodable' as const,
      reason: `a price of ${coin} from ${source} with a time in the future`,
    }))
    for (const { kind, reason } of [...problems, ...wrongTimes]) {
      metrics.problems.inc({ venue: venue.id, kind })
      this.#problems.warn('frame not understood', reason, { venue: venue.id, kind, reason })
      if (kind !== 'unknown_key') frameDumps?.dump(ring, { venue: venue.id, socket: 'prices', reason: kind })
    }
    return events.length > 0 ? 'data' : 'no_data'
  }

  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#check()
      await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Sets the gauges every second, and logs what is missing at most once a minute. */
  #check(): void {
    const { venue, board, nowMs, log, metrics } = this.#deps
    const missing = new Set(this.missing())
    for (const series of this.#sinceMs.keys()) {
      const labels = { source: series.source, coin: series.coin }
      if (missing.has(series)) metrics.priceMissing.set(labels, 1)
      else if (board.fresh(series) !== undefined) metrics.priceMissing.set(labels, 0)
    }
    const trouble = this.#trouble
    const isDue = this.#reportedAtMs === undefined || nowMs() - this.#reportedAtMs >= REPORT_EVERY_MS
    if (!isDue || (missing.size === 0 && trouble === undefined)) return
    this.#reportedAtMs = nowMs()
    this.#trouble = undefined
    const names = [...missing].map(({ source, coin }) => `${source} ${coin}`)
    log.warn({ venue: venue.id, missing: names, detail: trouble }, 'prices missing, or their socket was lost')
  }
}

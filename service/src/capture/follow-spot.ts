import type { Logger } from 'pino'
import { COINS, type Market } from '../domain/market.ts'
import { SpotPrices } from '../venues/binance/spot-prices.ts'
import type { SpotVenue } from '../venues/binance/venue.ts'
import { ConnectGate } from '../venues/connect-gate.ts'
import { runFeed } from '../venues/feed.ts'
import type { FrameDumps } from '../venues/frame-dumps.ts'
import { FrameRing } from '../venues/frame-ring.ts'
import { Subscriptions } from '../venues/subscriptions.ts'
import type { CaptureMetrics } from './capture-metrics.ts'
import type { SpotQuote } from './sample.ts'

export interface FollowSpotDeps {
  venue: SpotVenue
  nowMs: () => number
  log: Logger
  metrics: CaptureMetrics
  frameDumps?: FrameDumps | undefined
}

/** Follows the reference price of every coin. */
export class FollowSpot {
  readonly #deps: FollowSpotDeps
  readonly #prices = new SpotPrices()

  constructor(deps: FollowSpotDeps) {
    this.#deps = deps
  }

  /** Only crypto markets have a spot price, and only while it is fresh. */
  quoteFor({ category, subcategory }: Market): SpotQuote | undefined {
    if (category !== 'crypto') return undefined
    const coin = COINS.find((symbol) => symbol === subcategory)
    return coin === undefined ? undefined : this.#prices.quoteOf(coin, this.#deps.nowMs())
  }

  async run(signal: AbortSignal): Promise<void> {
    const { venue, nowMs, log, metrics, frameDumps } = this.#deps
    const ring = new FrameRing()
    await runFeed(
      {
        rules: venue.socket,
        subscriptions: new Subscriptions(venue.streams),
        subscribeFrames: (streams) => venue.subscribeFrames(streams),
        unsubscribeFrames: (streams) => venue.unsubscribeFrames(streams),
        owner: {
          opened: () => {},
          frame: (text, receivedAtMs) => {
            const { events, problems } = venue.decode(text)
            metrics.frames.inc({ venue: venue.id })
            for (const event of events) this.#prices.take(event, receivedAtMs)
            for (const { kind } of problems) {
              metrics.problems.inc({ venue: venue.id, kind })
              frameDumps?.dump(ring, { venue: venue.id, socket: 'spot', reason: kind })
            }
            return events.length > 0
          },
          lost: (cause, detail) => {
            metrics.lost.inc({ cause })
            log.warn({ venue: venue.id, cause, detail }, 'socket lost')
          },
        },
        gate: new ConnectGate({ everyMs: 250, perMinute: 20 }),
        ring,
        nowMs,
      },
      signal,
    )
  }
}

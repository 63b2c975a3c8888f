import type { PriceSeries } from '../domain/price.ts'
import type { BackOff } from './back-off.ts'
import type { FeedRules } from './feed-options.ts'
import type { FrameProblem } from './venue.ts'

/** A price in units of 10^-18 USD. */
export interface PriceEvent extends PriceSeries {
  price: bigint
  /** Undefined when the venue sends no time. */
  priceAtMs?: number
}

export interface DecodedPrices {
  events: readonly PriceEvent[]
  problems: readonly FrameProblem[]
}

/** A venue of coin prices: data and pure functions; one socket carries all its prices. */
export interface PriceVenue {
  readonly id: string
  readonly socket: FeedRules
  readonly backOff: () => BackOff
  /** All series that the venue may have. */
  readonly series: readonly PriceSeries[]
  /** Those that it has now. */
  listSeries(signal: AbortSignal): Promise<readonly PriceSeries[]>
  /** What must be subscribed for a series; several series may share a stream. */
  streamOf(series: PriceSeries): string
  subscribeFrames(streams: readonly string[]): string[]
  unsubscribeFrames(streams: readonly string[]): string[]
  decode(text: string): DecodedPrices
}

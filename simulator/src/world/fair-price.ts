import type { Market } from './market.ts'
import { seedOf, smoothNoise } from './random.ts'
import { SPOT_DEVIATION_PER_ROOT_SECOND, type SpotPrices } from './spot.ts'

/** Probability of the first outcome, in (0, 1); the book trades around it. */
export function fairPrice(market: Market, spot: SpotPrices, atMs: number): number {
  return market.draft.window === undefined ? opinion(market, atMs) : windowChance(market, spot, atMs)
}

function opinion(market: Market, atMs: number): number {
  const slow = smoothNoise(seedOf(market.conditionId, 'slow'), atMs, 900_000)
  const quick = smoothNoise(seedOf(market.conditionId, 'quick'), atMs, 20_000)
  return Math.min(0.985, Math.max(0.015, market.usualPrice + 0.05 * slow + 0.012 * quick))
}

/** Probability that a random walk ends at or above the opening price in the remaining time. */
function windowChance(market: Market, spot: SpotPrices, atMs: number): number {
  const { window } = market.draft
  const { startMs, endMs } = market.event
  if (window === undefined || startMs === undefined || atMs < startMs) return 0.5
  if (atMs >= endMs) return windowWinner(market, spot) === 0 ? 0.9965 : 0.0035
  const distance = Math.log(spot.priceAt(window.coin, atMs) / spot.priceAt(window.coin, startMs))
  const reach = SPOT_DEVIATION_PER_ROOT_SECOND * Math.sqrt((endMs - atMs) / 1000)
  return Math.min(0.99, Math.max(0.01, normalShare(distance / reach)))
}

/** Index of the winning outcome. */
export function windowWinner(market: Market, spot: SpotPrices): 0 | 1 {
  const { window } = market.draft
  const { startMs, endMs } = market.event
  if (window === undefined || startMs === undefined) return market.usualPrice >= 0.5 ? 0 : 1
  const { opening, closing } = windowPrices(window, spot, startMs, endMs)
  return closing >= opening ? 0 : 1
}

export function windowPrices(
  window: NonNullable<Market['draft']['window']>,
  spot: SpotPrices,
  startMs: number,
  endMs: number,
): { opening: number; closing: number } {
  const onCandle = window.length === '1h' || window.length === '1d'
  const priceAt = (atMs: number): number =>
    onCandle ? spot.priceAt(window.coin, atMs) : spot.minuteAverageAt(window.coin, atMs)
  return { opening: priceAt(startMs), closing: priceAt(endMs) }
}

/** The standard normal distribution function by its logistic approximation, good to one part in a hundred. */
export function normalShare(deviations: number): number {
  return 1 / (1 + Math.exp(-1.702 * deviations))
}

/** Derived from the times and the resolution of a market, never stored. */
export const MARKET_STATUSES = ['live', 'upcoming', 'settling', 'expired'] as const
export type MarketStatus = (typeof MARKET_STATUSES)[number]

/**
 * Upcoming until the window opens or the game starts, live until the end, settling until the venue publishes the
 * resolution. A resolved market is expired at any time.
 */
export function marketStatusAt(
  nowMs: number,
  market: { startsAtMs?: number; endsAtMs: number },
  isResolved: boolean,
): MarketStatus {
  if (isResolved) return 'expired'
  if (market.endsAtMs <= nowMs) return 'settling'
  return market.startsAtMs !== undefined && market.startsAtMs > nowMs ? 'upcoming' : 'live'
}

/** Where a market is in its life; derived from its times and its resolution, never stored. */
export const MARKET_STATUSES = ['live', 'upcoming', 'settling', 'expired'] as const
export type MarketStatus = (typeof MARKET_STATUSES)[number]

/**
 * Upcoming until its window opens or its game starts, live until its end, settling until the venue says how
 * it ended. A resolution ends it at any time.
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

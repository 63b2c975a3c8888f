import type { MarketStatus } from '../../domain/market-status.ts'
import { WINDOW_TIMEFRAMES } from '../../domain/slug.ts'

/** Not past its end: a market that settles has expired, although nobody knows yet how it ended. */
export function isActive(status: MarketStatus): boolean {
  return status === 'live' || status === 'upcoming'
}

/** Milliseconds; 0 for what has expired. */
export function expiresIn({ status, endsAtMs }: { status: MarketStatus; endsAtMs: number }, nowMs: number): number {
  return isActive(status) ? Math.max(0, Math.round(endsAtMs - nowMs)) : 0
}

/** Whether its outcomes are called up and down, and not yes and no. */
export function isUpDown({ category, timeframe }: { category: string; timeframe: string }): boolean {
  return category === 'crypto' && WINDOW_TIMEFRAMES.some((each) => each === timeframe)
}

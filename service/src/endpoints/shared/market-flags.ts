import type { MarketStatus } from '../../domain/market-status.ts'
import { WINDOW_TIMEFRAMES } from '../../domain/slug.ts'

/** Before its end; a settling market is past it, although its outcome is not known yet. */
export function isActive(status: MarketStatus): boolean {
  return status === 'live' || status === 'upcoming'
}

/** Milliseconds until the end; 0 after it. */
export function expiresIn({ status, endsAtMs }: { status: MarketStatus; endsAtMs: number }, nowMs: number): number {
  return isActive(status) ? Math.max(0, Math.round(endsAtMs - nowMs)) : 0
}

/** Whether its outcomes are up and down, not yes and no. */
export function isUpDown({ category, timeframe }: { category: string; timeframe: string }): boolean {
  return category === 'crypto' && WINDOW_TIMEFRAMES.some((each) => each === timeframe)
}

import type { WithoutQuote } from '@bookreel/sdk'

/** Why a market has no price. The compiler requires a text for every reason. */
const REASONS: Readonly<Record<WithoutQuote['reason'], string>> = {
  market_not_found: 'not listed',
  market_closed: 'ended',
  no_recent_data: 'no recent book',
  tier_not_allowed: 'in another tier',
  store_unavailable: 'unavailable now',
  over_limit: 'not read',
}

export function quoteReason(reason: WithoutQuote['reason']): string {
  return REASONS[reason] ?? String(reason)
}

/** `2¢`, `0.5¢`; a crossed book has a negative spread. */
export function spreadText(bid: number | null, ask: number | null): string {
  if (bid === null) return ask === null ? 'empty' : 'no bids'
  if (ask === null) return 'no asks'
  return `${Number(((ask - bid) * 100).toFixed(2))}¢`
}

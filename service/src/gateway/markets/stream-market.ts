import type { CoinSymbol } from '../../domain/market.ts'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'

export const PERP_VENUE = 'hyperliquid'

/** What can be streamed: a binary market, or a perpetual future. */
export interface StreamMarket {
  /** As the bus and the stores know it. */
  readonly id: string
  /** As clients know it. */
  readonly name: string
  readonly intervalMs: number
  /** Of a binary market. */
  readonly listed?: StoredMarket
  /** Of a perpetual future. */
  readonly symbol?: string
}

export function streamMarketOf(listed: StoredMarket): StreamMarket {
  return { id: listed.id, name: listed.id, intervalMs: listed.captureIntervalMs, listed }
}

export function streamPerpOf(symbol: CoinSymbol): StreamMarket {
  const name = `${PERP_VENUE}_perp:${symbol}`
  return { id: perpMarketId(PERP_VENUE, symbol), name, intervalMs: PERP_INTERVAL_MS, symbol }
}

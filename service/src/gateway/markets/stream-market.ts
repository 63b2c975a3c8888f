import type { CoinSymbol } from '../../domain/market.ts'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import type { FoundMarket } from '../../endpoints/shared/found-market.ts'

export const PERP_VENUE = 'hyperliquid'

/** A market that can be streamed: a prediction market or a perpetual future. */
export interface StreamMarket {
  /** Id on the bus and in the stores. */
  readonly id: string
  /** Name in frames. */
  readonly name: string
  readonly intervalMs: number
  /** Only of a prediction market. */
  readonly listed?: FoundMarket
  /** Only of a perpetual future. */
  readonly symbol?: string
}

export function streamMarketOf(listed: FoundMarket): StreamMarket {
  return { id: listed.id, name: listed.id, intervalMs: listed.captureIntervalMs, listed }
}

export function streamPerpOf(symbol: CoinSymbol): StreamMarket {
  const name = `${PERP_VENUE}_perp:${symbol}`
  return { id: perpMarketId(PERP_VENUE, symbol), name, intervalMs: PERP_INTERVAL_MS, symbol }
}

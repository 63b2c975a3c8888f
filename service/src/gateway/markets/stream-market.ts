import type { CoinSymbol } from '../../domain/market.ts'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import { type Proof, proofOf } from '../../domain/proof.ts'
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
  readonly proof: Proof
  /** Only of a prediction market. */
  readonly listed?: FoundMarket
  /** Only of a perpetual future. */
  readonly symbol?: string
}

export function streamMarketOf(listed: FoundMarket): StreamMarket {
  const { id, captureIntervalMs: intervalMs, venue } = listed
  return { id, name: id, intervalMs, proof: proofOf(venue), listed }
}

export function streamPerpOf(symbol: CoinSymbol): StreamMarket {
  const name = `${PERP_VENUE}_perp:${symbol}`
  const id = perpMarketId(PERP_VENUE, symbol)
  return { id, name, intervalMs: PERP_INTERVAL_MS, proof: proofOf(PERP_VENUE), symbol }
}

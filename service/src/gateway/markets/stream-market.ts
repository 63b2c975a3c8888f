import type { CoinSymbol } from '../../domain/market.ts'
import { PERP_INTERVAL_MS } from '../../domain/plan.ts'
import type { Proof } from '../../domain/proof.ts'
import { perpMarketId } from '../../domain/rows/perp-snapshot.ts'
import type { FoundMarket } from '../../endpoints/shared/found-market.ts'
import { DEFAULT_PERP_VENUE, proofOf } from '../../venue-registry.ts'

/** A market that can be streamed: a prediction market or a perpetual future. */
export interface StreamMarket {
  /** Id on the bus and in the stores. */
  readonly id: string
  readonly venue: string
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
  return { id, venue, name: id, intervalMs, proof: proofOf(venue), listed }
}

/** The venues of markets, each once. */
export function venuesOf(markets: readonly StreamMarket[]): string[] {
  return [...new Set(markets.map(({ venue }) => venue))]
}

export function streamPerpOf(symbol: CoinSymbol): StreamMarket {
  const venue = DEFAULT_PERP_VENUE
  const name = `${venue}_perp:${symbol}`
  return { id: perpMarketId(venue, symbol), venue, name, intervalMs: PERP_INTERVAL_MS, proof: proofOf(venue), symbol }
}

import type { Market } from '../domain/market.ts'
import type { FollowedMarket } from './followed-market.ts'
import { type SpotQuote, sample } from './sample.ts'
import type { SampledMarket } from './sampled-market.ts'

/** A followed market with two books; its rows contain the reference price of its coin. */
export function sampledBinary(
  followed: FollowedMarket,
  spotOf: (market: Market) => SpotQuote | undefined,
): SampledMarket {
  const { market } = followed
  return {
    id: market.id,
    intervalMs: market.captureIntervalMs,
    settle(nowMs) {
      followed.settle(nowMs)
      return followed.passingDoubts()
    },
    takeLosses: () => followed.takeLosses(),
    sample(slot, capturedAtMs) {
      const state = followed.book.proved
      if (state === undefined) return { absence: followed.absence() }
      const changes = followed.takeChangeCount()
      return { snapshot: sample(market, state, { slot, capturedAtMs, changes, spot: spotOf(market) }) }
    },
  }
}

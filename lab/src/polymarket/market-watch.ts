import type { Ledger } from './ledger.ts'
import { bothViews, type Proof } from './prove.ts'

// Recorded: the trade event is 34–39 ms later than its book. A later one explains nothing.
const TRADE_LAG_LIMIT_MS = 1_000

/** State shared by both tokens of a market: the last trade price, which the venue does not always send. */
export interface MarketWatch {
  readonly lastTrade: string | undefined
  readonly tradePrice: string | undefined
  state(lastTrade: string): void
  takeTrade(price: string, timestamp: string): void
  /** `knownAtStart` is the price known when the proved hash began: only a change since then may replace the current one. */
  learn(proof: Proof, timestamp: string, knownAtStart: string | undefined): void
}

export function createMarketWatch(ledger: Ledger): MarketWatch {
  let lastTrade: string | undefined
  let tradePrice: string | undefined
  let unexplained: { lastTrade: string; timestamp: string }[] = []
  return {
    get lastTrade() {
      return lastTrade
    },
    get tradePrice() {
      return tradePrice
    },
    state(stated) {
      lastTrade = stated
    },
    takeTrade(price, timestamp) {
      tradePrice = price
      const explained = new Set(bothViews(price))
      // A hash may be settled before its trade event arrives; then the search ran first.
      unexplained = unexplained.filter((searched) => {
        const lagMs = Number(timestamp) - Number(searched.timestamp)
        if (lagMs >= 0 && lagMs <= TRADE_LAG_LIMIT_MS && explained.has(searched.lastTrade)) {
          ledger.proofs.search -= 1
          ledger.proofs.tradeEvent += 1
          return false
        }
        return lagMs <= TRADE_LAG_LIMIT_MS
      })
    },
    learn(proof, timestamp, knownAtStart) {
      if (proof.lastTradePrice !== knownAtStart) lastTrade = proof.lastTradePrice
      if (proof.kind === 'search') unexplained.push({ lastTrade: proof.lastTradePrice, timestamp })
    },
  }
}

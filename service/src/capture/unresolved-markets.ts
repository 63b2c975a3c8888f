const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 600_000
/** A pause is this share of the time since the market was noted, so a result is found that much later at most. */
const PAUSE_SHARE = 0.1
const GIVEN_UP_AFTER_MS = 7 * 86_400_000
const MOST_MARKETS = 20_000

interface Unresolved {
  sinceMs: number
  nextAtMs: number
}

/** Schedules the requests for the results of markets that should have one, with growing pauses. */
export class UnresolvedMarkets {
  readonly #markets = new Map<string, Unresolved>()

  note(marketId: string, nowMs: number, firstRequestAtMs = nowMs): void {
    if (this.#markets.has(marketId)) return
    this.#markets.set(marketId, { sinceMs: Math.max(nowMs, firstRequestAtMs), nextAtMs: firstRequestAtMs })
    const [oldest] = this.#markets.keys()
    if (this.#markets.size > MOST_MARKETS && oldest !== undefined) this.#markets.delete(oldest)
  }

  /** The market is listed again, or its resolution is known. */
  forget(marketId: string): void {
    this.#markets.delete(marketId)
  }

  /** Returns at most that many markets to request now, and schedules their next request. */
  due(nowMs: number, most = Number.POSITIVE_INFINITY): string[] {
    const due: string[] = []
    for (const [marketId, market] of this.#markets) {
      if (due.length >= most) break
      if (nowMs < market.nextAtMs) continue
      due.push(marketId)
      const ageMs = nowMs - market.sinceMs
      market.nextAtMs = nowMs + Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, ageMs * PAUSE_SHARE))
      if (ageMs > GIVEN_UP_AFTER_MS) this.#markets.delete(marketId)
    }
    return due
  }
}

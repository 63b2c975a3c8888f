const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 600_000
const GIVEN_UP_AFTER_MS = 7 * 86_400_000
const MOST_MARKETS = 20_000

interface Unresolved {
  sinceMs: number
  nextAtMs: number
  pauseMs: number
}

/**
 * Markets that discovery no longer lists and whose resolution did not arrive, for example because the socket was
 * down. Schedules the requests for their resolutions with an exponential back-off.
 */
export class UnresolvedMarkets {
  readonly #markets = new Map<string, Unresolved>()

  note(marketId: string, nowMs: number, firstRequestAtMs = nowMs): void {
    if (this.#markets.has(marketId)) return
    this.#markets.set(marketId, { sinceMs: nowMs, nextAtMs: firstRequestAtMs, pauseMs: FIRST_PAUSE_MS })
    const [oldest] = this.#markets.keys()
    if (this.#markets.size > MOST_MARKETS && oldest !== undefined) this.#markets.delete(oldest)
  }

  /** The market is listed again, or its resolution is known. */
  forget(marketId: string): void {
    this.#markets.delete(marketId)
  }

  /** Returns the markets to request now, and schedules their next request. */
  due(nowMs: number): string[] {
    const due: string[] = []
    for (const [marketId, market] of this.#markets) {
      if (nowMs < market.nextAtMs) continue
      due.push(marketId)
      market.nextAtMs = nowMs + market.pauseMs
      market.pauseMs = Math.min(LONGEST_PAUSE_MS, market.pauseMs * 2)
      if (nowMs - market.sinceMs > GIVEN_UP_AFTER_MS) this.#markets.delete(marketId)
    }
    return due
  }
}

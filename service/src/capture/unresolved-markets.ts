const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 600_000
const GIVEN_UP_AFTER_MS = 7 * 86_400_000
const MOST = 20_000

interface Unresolved {
  sinceMs: number
  nextAtMs: number
  pauseMs: number
}

/**
 * Markets that discovery lists no longer and of whose end nobody told us, as when our socket was down: which
 * of them to ask the venue about now, at first soon and then ever more seldom.
 */
export class UnresolvedMarkets {
  readonly #departed = new Map<string, Unresolved>()

  note(marketId: string, nowMs: number, firstAskAtMs = nowMs): void {
    if (this.#departed.has(marketId)) return
    this.#departed.set(marketId, { sinceMs: nowMs, nextAtMs: firstAskAtMs, pauseMs: FIRST_PAUSE_MS })
    const [oldest] = this.#departed.keys()
    if (this.#departed.size > MOST && oldest !== undefined) this.#departed.delete(oldest)
  }

  /** It is listed again, or it is known how it ended. */
  forget(marketId: string): void {
    this.#departed.delete(marketId)
  }

  /** The time of the next question is set. */
  due(nowMs: number): string[] {
    const due: string[] = []
    for (const [marketId, departed] of this.#departed) {
      if (nowMs < departed.nextAtMs) continue
      due.push(marketId)
      departed.nextAtMs = nowMs + departed.pauseMs
      departed.pauseMs = Math.min(LONGEST_PAUSE_MS, departed.pauseMs * 2)
      if (nowMs - departed.sinceMs > GIVEN_UP_AFTER_MS) this.#departed.delete(marketId)
    }
    return due
  }
}

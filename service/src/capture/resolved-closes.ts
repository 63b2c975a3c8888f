const LONGEST_PAUSE_MS = 10 * 60_000

/**
 * Markets whose socket the venue closed because all its markets are resolved. Most are removed within seconds, by their
 * resolutions. One that remains was not resolved, and is subscribed again, after pauses that grow.
 */
export class ResolvedCloses {
  readonly #firstPauseMs: number
  readonly #waiting = new Map<string, { closedAtMs: number; againAtMs: number }>()
  readonly #counts = new Map<string, number>()

  constructor(firstPauseMs: number) {
    this.#firstPauseMs = firstPauseMs
  }

  note(marketId: string, nowMs: number): void {
    const count = this.#counts.get(marketId) ?? 0
    this.#counts.set(marketId, count + 1)
    const pauseMs = Math.min(LONGEST_PAUSE_MS, this.#firstPauseMs * 2 ** count)
    this.#waiting.set(marketId, { closedAtMs: nowMs, againAtMs: nowMs + pauseMs })
  }

  isWaiting(marketId: string): boolean {
    return this.#waiting.has(marketId)
  }

  /** The markets to subscribe again now. */
  take(nowMs: number): { marketId: string; closedAtMs: number }[] {
    const due = [...this.#waiting].filter(([, { againAtMs }]) => nowMs >= againAtMs)
    for (const [marketId] of due) this.#waiting.delete(marketId)
    return due.map(([marketId, { closedAtMs }]) => ({ marketId, closedAtMs }))
  }

  forget(marketId: string): void {
    this.#waiting.delete(marketId)
    this.#counts.delete(marketId)
  }
}

const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 10 * 60_000
/** A market that was not moved for this long starts anew. */
const FORGOTTEN_AFTER_MS = 20 * 60_000

interface Attempts {
  count: number
  lastAtMs: number
}

/** Pauses between the moves of one market. They grow, whether a move helped or not: a market that is bad again soon stays bad. */
export class MoveAttempts {
  readonly #attempts = new Map<string, Attempts>()

  countOf(marketId: string): number {
    return this.#attempts.get(marketId)?.count ?? 0
  }

  isAllowed(marketId: string, nowMs: number): boolean {
    const known = this.#attempts.get(marketId)
    if (known === undefined) return true
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (known.count - 1))
    return nowMs - known.lastAtMs >= pauseMs
  }

  note(marketId: string, nowMs: number): void {
    const known = this.#attempts.get(marketId)
    const isRecent = known !== undefined && nowMs - known.lastAtMs < FORGOTTEN_AFTER_MS
    this.#attempts.set(marketId, { count: isRecent ? known.count + 1 : 1, lastAtMs: nowMs })
  }

  forget(marketId: string): void {
    this.#attempts.delete(marketId)
  }
}

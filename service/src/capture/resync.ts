import type { FollowedMarket } from './followed-market.ts'

const FIRST_BOOK_WITHIN_MS = 5_000
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 30_000

interface Attempt {
  count: number
  nextAtMs: number
}

/**
 * Which books to request again: those in doubt, at once and then with an exponential back-off, and those
 * whose first book did not come after the subscription.
 */
export class Resync {
  readonly #attempts = new Map<string, Attempt>()

  /** `attempt` counts the requests before this one; the call schedules the next. */
  due(markets: Iterable<FollowedMarket>, nowMs: number): { followed: FollowedMarket; attempt: number }[] {
    const due: { followed: FollowedMarket; attempt: number }[] = []
    for (const followed of markets) {
      const { id } = followed.market
      if (followed.book.proved !== undefined) {
        this.#attempts.delete(id)
        continue
      }
      const attempt = this.#attempts.get(id) ?? this.#first(followed, nowMs)
      this.#attempts.set(id, attempt)
      if (nowMs < attempt.nextAtMs) continue
      due.push({ followed, attempt: attempt.count })
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt.count)
      this.#attempts.set(id, { count: attempt.count + 1, nextAtMs: nowMs + pauseMs })
    }
    return due
  }

  /** A new socket sends whole books by itself, so the first request waits for them. */
  restart(marketId: string, nowMs: number): void {
    this.#attempts.set(marketId, { count: 0, nextAtMs: nowMs + FIRST_BOOK_WITHIN_MS })
  }

  forget(marketId: string): void {
    this.#attempts.delete(marketId)
  }

  #first(followed: FollowedMarket, nowMs: number): Attempt {
    return { count: 0, nextAtMs: followed.book.doubt === undefined ? nowMs + FIRST_BOOK_WITHIN_MS : nowMs }
  }
}

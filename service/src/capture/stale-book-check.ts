import type { BookEvent } from '../venues/venue.ts'
import type { FollowedMarket } from './followed-market.ts'

/** A market is checked after a silence of this many mean pauses, within these limits. */
const USUAL_PAUSES = 8
const SOONEST_MS = 3_000
const LATEST_MS = 60_000
/** REST and the socket may differ for this long without either being wrong. */
const CATCH_UP_MS = 1_500

interface Suspicion {
  /** Venue time of the REST book that the socket had not delivered. */
  eventAtMs: number
  sinceMs: number
}

/**
 * Distinguishes inactive markets from dead subscriptions. A market that is silent for longer than usual is
 * compared with the venue's REST book: an equal book confirms ours; a newer one that the socket still does not
 * deliver after `CATCH_UP_MS` means that the subscription is dead.
 */
export class StaleBookCheck {
  readonly #suspicions = new Map<string, Suspicion>()
  readonly #checkedAtMs = new Map<string, number>()

  /** The markets to check now, longest silent first. */
  due(markets: Iterable<FollowedMarket>, nowMs: number, most: number): FollowedMarket[] {
    const silent: FollowedMarket[] = []
    for (const followed of markets) {
      if (followed.book.proved === undefined) continue
      const isSuspect = this.#suspicions.has(followed.market.id)
      const quietSinceMs = Math.max(followed.confirmedAtMs, this.#checkedAtMs.get(followed.market.id) ?? 0)
      const limitMs = isSuspect ? CATCH_UP_MS : silenceLimitMs(followed)
      if (nowMs - quietSinceMs > limitMs) silent.push(followed)
    }
    const chosen = silent.sort((one, other) => one.confirmedAtMs - other.confirmedAtMs).slice(0, most)
    for (const { market } of chosen) this.#checkedAtMs.set(market.id, nowMs)
    return chosen
  }

  /** Compares the REST book of a market's first token with ours; `undecided` needs another comparison. */
  compare(
    followed: FollowedMarket,
    book: BookEvent,
    { requestedAtMs, nowMs }: { requestedAtMs: number; nowMs: number },
  ): 'confirmed' | 'dead' | 'undecided' {
    const state = followed.book.proved
    const { id } = followed.market
    const relation = followed.book.relationTo(book, requestedAtMs)
    if (state === undefined || relation === 'older') return 'undecided'
    if (relation === 'equal') {
      this.#suspicions.delete(id)
      return 'confirmed'
    }
    const suspicion = this.#suspicions.get(id)
    if (suspicion === undefined || state.eventAtMs >= suspicion.eventAtMs) {
      this.#suspicions.set(id, { eventAtMs: book.eventAtMs, sinceMs: nowMs })
    } else if (nowMs - suspicion.sinceMs >= CATCH_UP_MS) {
      this.#suspicions.delete(id)
      return 'dead'
    }
    return 'undecided'
  }

  forget(marketId: string): void {
    this.#suspicions.delete(marketId)
    this.#checkedAtMs.delete(marketId)
  }
}

function silenceLimitMs({ meanPauseMs }: FollowedMarket): number {
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, USUAL_PAUSES * meanPauseMs))
}

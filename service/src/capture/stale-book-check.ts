import type { BookEvent } from '../venues/venue.ts'
import type { FollowedMarket } from './followed-market.ts'

/** A market is asked about when it has been silent for so many of its usual pauses, within these limits. */
const USUAL_PAUSES = 8
const SOONEST_MS = 3_000
const LATEST_MS = 60_000
/** REST and the socket may be this far apart without either being wrong. */
const CATCH_UP_MS = 1_500

interface Suspicion {
  /** What REST had that we had not. */
  eventAtMs: number
  sinceMs: number
}

/**
 * Tells quiet markets from mute ones. A market that has said nothing for longer than usual is compared with
 * the venue's REST book: equal means that we are right until now; newer, and still not told to us after a
 * while, means that our socket has gone deaf to it.
 */
export class StaleBookCheck {
  readonly #suspicions = new Map<string, Suspicion>()
  readonly #askedAtMs = new Map<string, number>()

  /** The markets to ask about now, longest silent first. */
  due(markets: Iterable<FollowedMarket>, nowMs: number, most: number): FollowedMarket[] {
    const silent: FollowedMarket[] = []
    for (const followed of markets) {
      if (followed.book.proved === undefined) continue
      const isSuspect = this.#suspicions.has(followed.market.id)
      const quietSinceMs = Math.max(followed.heardAtMs, this.#askedAtMs.get(followed.market.id) ?? 0)
      const limitMs = isSuspect ? CATCH_UP_MS : silenceLimitMs(followed)
      if (nowMs - quietSinceMs > limitMs) silent.push(followed)
    }
    const chosen = silent.sort((one, other) => one.heardAtMs - other.heardAtMs).slice(0, most)
    for (const { market } of chosen) this.#askedAtMs.set(market.id, nowMs)
    return chosen
  }

  /** What REST says of the first token of each market that was asked about. */
  heard(followed: FollowedMarket, book: BookEvent, nowMs: number): void {
    const state = followed.book.proved
    const { id } = followed.market
    if (state === undefined || book.eventAtMs < state.eventAtMs) return
    if (book.hash === state.upHash) {
      this.#suspicions.delete(id)
      followed.confirm(nowMs)
      return
    }
    const suspicion = this.#suspicions.get(id)
    if (suspicion === undefined || state.eventAtMs >= suspicion.eventAtMs) {
      this.#suspicions.set(id, { eventAtMs: book.eventAtMs, sinceMs: nowMs })
    } else if (nowMs - suspicion.sinceMs >= CATCH_UP_MS) {
      this.#suspicions.delete(id)
      followed.distrust({ cause: 'venue_silent', detail: 'REST has a newer book that the socket never told of' })
    }
  }

  forget(marketId: string): void {
    this.#suspicions.delete(marketId)
    this.#askedAtMs.delete(marketId)
  }
}

function silenceLimitMs({ meanPauseMs }: FollowedMarket): number {
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, USUAL_PAUSES * meanPauseMs))
}

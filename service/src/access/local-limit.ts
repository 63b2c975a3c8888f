import { LRUCache } from 'lru-cache'
import type { RateRules, RateVerdict } from '../stores/accounts/rate-limits.ts'

const MINUTE_MS = 60_000
const MOST_ENTRIES = 50_000

/** The limiter of `RateLimits` within one process: the same rule, a share of the rate. */
export class LocalLimit {
  readonly #nowMs: () => number
  readonly #shares: number
  /** Per name the instant at which its bucket is empty again. */
  readonly #emptyAtMs: LRUCache<string, number>

  constructor(options: { nowMs: () => number; shares?: number; mostEntries?: number }) {
    this.#nowMs = options.nowMs
    this.#shares = options.shares ?? 1
    this.#emptyAtMs = new LRUCache({ max: options.mostEntries ?? MOST_ENTRIES })
  }

  take(name: string, rules: RateRules): RateVerdict {
    const verdict = this.look(name, rules)
    if (verdict.isAllowed) this.#emptyAtMs.set(name, this.#nowMs() + verdict.resetMs)
    return verdict
  }

  /** What `take` would say, without taking. */
  look(name: string, rules: RateRules): RateVerdict {
    const intervalMs = (MINUTE_MS / rules.rpm) * this.#shares
    // With more nodes than burst each node still lets one through at a time.
    const windowMs = Math.max(intervalMs, intervalMs * (rules.burst / this.#shares))
    const usedMs = Math.min(this.owedMs(name), windowMs)
    const spareMs = windowMs - usedMs - intervalMs
    if (spareMs < 0) return { isAllowed: false, remaining: 0, retryAfterMs: -spareMs, resetMs: usedMs }
    return {
      isAllowed: true,
      remaining: Math.floor(spareMs / intervalMs),
      retryAfterMs: 0,
      resetMs: usedMs + intervalMs,
    }
  }

  /** How long until everything is forgotten. */
  owedMs(name: string): number {
    return Math.max(0, (this.#emptyAtMs.get(name) ?? 0) - this.#nowMs())
  }

  /** What is known of the whole: as much of our share counts as used. */
  note(name: string, owedMs: number): void {
    this.#emptyAtMs.set(name, this.#nowMs() + owedMs)
  }
}

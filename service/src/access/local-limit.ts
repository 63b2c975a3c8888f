import { LRUCache } from 'lru-cache'
import type { RateRules, RateVerdict } from '../stores/accounts/rate-limits.ts'

const MINUTE_MS = 60_000
const MAX_ENTRIES = 50_000

/** The algorithm of `RateLimits` within one process, for a share of the rate. */
export class LocalLimit {
  readonly #nowMs: () => number
  readonly #shares: () => number
  /** Per name, when its bucket is empty again. */
  readonly #emptyAtMs: LRUCache<string, number>

  constructor(options: { nowMs: () => number; shares?: () => number; mostEntries?: number }) {
    this.#nowMs = options.nowMs
    this.#shares = options.shares ?? (() => 1)
    this.#emptyAtMs = new LRUCache({ max: options.mostEntries ?? MAX_ENTRIES })
  }

  take(name: string, rules: RateRules): RateVerdict {
    const verdict = this.peek(name, rules)
    if (verdict.isAllowed) this.#emptyAtMs.set(name, this.#nowMs() + verdict.resetMs)
    return verdict
  }

  /** Undoes one `take`. */
  giveBack(name: string, rules: RateRules): void {
    this.note(name, Math.max(0, this.owedMs(name) - this.#timesOf(rules).intervalMs))
  }

  /** The verdict of `take`, without counting a request. */
  peek(name: string, rules: RateRules): RateVerdict {
    const { intervalMs, windowMs } = this.#timesOf(rules)
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

  /** Time until the bucket is empty. */
  owedMs(name: string): number {
    return Math.max(0, (this.#emptyAtMs.get(name) ?? 0) - this.#nowMs())
  }

  /** Sets the level of the bucket from the shared limiter in Redis. */
  note(name: string, owedMs: number): void {
    this.#emptyAtMs.set(name, this.#nowMs() + owedMs)
  }

  knows(name: string): boolean {
    return this.#emptyAtMs.has(name)
  }

  /** Sets the level of the bucket so that this many requests are admitted at once. */
  leave(name: string, rules: RateRules, requests: number): void {
    const { intervalMs, windowMs } = this.#timesOf(rules)
    this.note(name, Math.max(0, windowMs - requests * intervalMs))
  }

  #timesOf({ rpm, burst }: RateRules): { intervalMs: number; windowMs: number } {
    const shares = this.#shares()
    const intervalMs = (MINUTE_MS / rpm) * shares
    // With more nodes than burst, each node still admits one request at a time.
    return { intervalMs, windowMs: Math.max(intervalMs, intervalMs * (burst / shares)) }
  }
}

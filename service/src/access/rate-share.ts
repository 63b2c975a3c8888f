import { LRUCache } from 'lru-cache'
import type { OwedTime, RateRules, RateVerdict } from '../stores/accounts/rate-limits.ts'
import { LocalLimit } from './local-limit.ts'

const MINUTE_MS = 60_000
const MAX_ACCOUNTS = 50_000
/** A Redis that is late for one node may still admit requests of others, so for this long their full use is assumed. */
const OTHERS_USE_REDIS_MS = 2_000
/** After an outage every node asks Redis again within this time. */
const OTHERS_SETTLE_WITHIN_MS = 2_000
/** Requests at once of an account of which this node knows nothing, in that time. */
const UNKNOWN_BURST = 5

export interface RateShareOptions {
  readonly nowMs: () => number
  /** The rate is divided by it. */
  readonly nodeCount: () => number
}

/** Admits this node's share of an account's rate while Redis does not answer, and knows what Redis must count later. */
export class RateShare {
  readonly #nowMs: () => number
  readonly #limit: LocalLimit
  /** Per account, when its bucket in Redis would be empty, from the last answer of Redis. */
  readonly #emptyAtMs = new LRUCache<string, number>({ max: MAX_ACCOUNTS })
  /** Time used by requests that Redis has not counted. */
  readonly #debtsMs = new LRUCache<string, number>({ max: MAX_ACCOUNTS })
  #answeredAtMs = Number.NEGATIVE_INFINITY
  #failedAtMs = Number.NEGATIVE_INFINITY

  constructor({ nowMs, nodeCount }: RateShareOptions) {
    this.#nowMs = nowMs
    this.#limit = new LocalLimit({ nowMs, shares: nodeCount, mostEntries: MAX_ACCOUNTS })
  }

  /**
   * The verdict on a request that Redis has counted. After an outage, until the other nodes have told Redis what they
   * admitted, this node stays within its share.
   */
  confirm(accountId: string, rules: RateRules, verdict: RateVerdict): RateVerdict {
    this.#answeredAtMs = this.#nowMs()
    if (this.#answeredAtMs - this.#failedAtMs < OTHERS_SETTLE_WITHIN_MS) {
      const own = this.#limit.take(accountId, rules)
      return verdict.isAllowed && !own.isAllowed ? own : verdict
    }
    this.#emptyAtMs.set(accountId, this.#answeredAtMs + verdict.resetMs)
    this.#limit.note(accountId, verdict.resetMs + OTHERS_USE_REDIS_MS)
    return verdict
  }

  /** Redis does not answer. */
  take(accountId: string, rules: RateRules): RateVerdict {
    this.#failedAtMs = this.#nowMs()
    const isRecent = this.#failedAtMs - this.#answeredAtMs < OTHERS_USE_REDIS_MS
    if (isRecent && !this.#limit.knows(accountId)) this.#limit.leave(accountId, rules, UNKNOWN_BURST)
    const verdict = this.#limit.take(accountId, rules)
    if (verdict.isAllowed) this.owe(accountId, MINUTE_MS / rules.rpm)
    return verdict
  }

  /** What Redis has to count with the next request. The caller gives the debt back if Redis does not answer. */
  settle(accountId: string): OwedTime | undefined {
    const debtMs = this.#debtsMs.get(accountId)
    if (debtMs === undefined) return undefined
    this.#debtsMs.delete(accountId)
    return { debtMs, levelMs: Math.max(0, (this.#emptyAtMs.get(accountId) ?? 0) - this.#nowMs()) }
  }

  owe(accountId: string, debtMs: number): void {
    this.#debtsMs.set(accountId, (this.#debtsMs.get(accountId) ?? 0) + debtMs)
  }
}

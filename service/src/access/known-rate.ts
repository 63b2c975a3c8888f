import type { RateRules } from '../stores/accounts/rate-limits.ts'
import { LocalLimit } from './local-limit.ts'
import { rateLimited } from './refusals.ts'

/** Far more than pages and programs ask for outside of the endpoints that have a rate of their own. */
export const KNOWN_RATE: RateRules = { rpm: 1_200, burst: 600 }

/** Requests with a valid key or session that no other rate counts, per account, counted by each process in memory. */
export class KnownRate {
  readonly #rules: RateRules
  readonly #limit = new LocalLimit({ nowMs: () => performance.now() })

  constructor(rules = KNOWN_RATE) {
    this.#rules = rules
  }

  /** Counts one request. Throws `rate_limited`. */
  take(accountId: string): void {
    const verdict = this.#limit.take(accountId, this.#rules)
    if (!verdict.isAllowed) throw rateLimited(this.#rules.rpm, verdict)
  }
}

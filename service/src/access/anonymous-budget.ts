import type { Registry } from 'prom-client'
import type { RateRules } from '../stores/accounts/rate-limits.ts'
import { addressGroup } from './address-group.ts'
import { type AnonymousMetrics, anonymousMetrics } from './anonymous-metrics.ts'
import { LocalLimit } from './local-limit.ts'
import { tooManyAnonymous } from './refusals.ts'

export type AnonymousKind = 'requests' | 'sign_ins' | 'upgrades' | 'callbacks'

/** What one IPv4 address or IPv6 network may ask for without a valid key. Payment processors send far fewer callbacks. */
export const ANONYMOUS_BUDGETS: Readonly<Record<AnonymousKind, RateRules>> = {
  requests: { rpm: 300, burst: 150 },
  sign_ins: { rpm: 30, burst: 30 },
  upgrades: { rpm: 120, burst: 60 },
  callbacks: { rpm: 1_200, burst: 600 },
}

/** Rate budgets of callers without a valid key, counted by each process in memory. */
export class AnonymousBudget {
  readonly #budgets: Readonly<Record<AnonymousKind, RateRules>>
  readonly #limits: Readonly<Record<AnonymousKind, LocalLimit>>
  readonly #metrics: AnonymousMetrics

  constructor(registry: Registry, budgets: Partial<Record<AnonymousKind, RateRules>> = {}) {
    const nowMs = (): number => performance.now()
    this.#budgets = { ...ANONYMOUS_BUDGETS, ...budgets }
    this.#metrics = anonymousMetrics(registry)
    // Apart, so that a flood of one kind does not displace the counts of another.
    this.#limits = {
      requests: new LocalLimit({ nowMs }),
      sign_ins: new LocalLimit({ nowMs }),
      upgrades: new LocalLimit({ nowMs }),
      callbacks: new LocalLimit({ nowMs }),
    }
  }

  /** Counts one request. Throws `rate_limited`, unless `isCustomer` finds that the caller is known after all. */
  async take(kind: AnonymousKind, ip: string, isCustomer: () => Promise<boolean>): Promise<void> {
    const rules = this.#budgets[kind]
    const verdict = this.#limits[kind].take(addressGroup(ip), rules)
    if (verdict.isAllowed || (await isCustomer())) return
    this.#metrics.refused.inc({ kind })
    throw tooManyAnonymous(rules.rpm, verdict)
  }
}

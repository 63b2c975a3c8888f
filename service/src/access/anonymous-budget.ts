import type { Registry } from 'prom-client'
import type { RateRules, RateVerdict } from '../stores/accounts/rate-limits.ts'
import { addressGroup, addressSite } from './address-group.ts'
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

/** Budgets that all networks of one /48 have together; it has 65,536. */
const SITE_BUDGETS = 16

/** Rate budgets of callers without a valid key, counted by each process in memory. */
export class AnonymousBudget {
  readonly #budgets: Readonly<Record<AnonymousKind, RateRules>>
  /** Apart, so that a flood of one kind does not displace the counts of another. */
  readonly #limits: Readonly<Record<AnonymousKind, LocalLimit>>
  readonly #sites: Readonly<Record<AnonymousKind, LocalLimit>>
  readonly #metrics: AnonymousMetrics

  constructor(registry: Registry, budgets: Partial<Record<AnonymousKind, RateRules>> = {}) {
    this.#budgets = { ...ANONYMOUS_BUDGETS, ...budgets }
    this.#metrics = anonymousMetrics(registry)
    this.#limits = limitOfEachKind()
    this.#sites = limitOfEachKind()
  }

  /** Counts one request. Throws `rate_limited`, unless `isCustomer` finds that the caller is known after all. */
  async take(kind: AnonymousKind, ip: string, isCustomer: () => Promise<boolean>): Promise<void> {
    const rules = this.#budgets[kind]
    const verdict = this.#count(kind, ip, rules)
    if (verdict.isAllowed || (await isCustomer())) return
    this.#metrics.refused.inc({ kind })
    throw tooManyAnonymous(rules.rpm, verdict)
  }

  /** A /48 that has used up its budgets adds no networks, so it can't displace the counts of others. */
  #count(kind: AnonymousKind, ip: string, rules: RateRules): RateVerdict {
    const site = addressSite(ip)
    if (site === undefined) return this.#limits[kind].take(addressGroup(ip), rules)
    const ofSite = { rpm: rules.rpm * SITE_BUDGETS, burst: rules.burst * SITE_BUDGETS }
    const verdictOfSite = this.#sites[kind].peek(site, ofSite)
    if (!verdictOfSite.isAllowed) return verdictOfSite
    const verdict = this.#limits[kind].take(addressGroup(ip), rules)
    if (verdict.isAllowed) this.#sites[kind].take(site, ofSite)
    return verdict
  }
}

function limitOfEachKind(): Readonly<Record<AnonymousKind, LocalLimit>> {
  const nowMs = (): number => performance.now()
  return {
    requests: new LocalLimit({ nowMs }),
    sign_ins: new LocalLimit({ nowMs }),
    upgrades: new LocalLimit({ nowMs }),
    callbacks: new LocalLimit({ nowMs }),
  }
}

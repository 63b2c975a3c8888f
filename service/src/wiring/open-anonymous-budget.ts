import type { Registry } from 'prom-client'
import { AnonymousBudget } from '../access/anonymous-budget.ts'
import type { Config } from '../config.ts'

/** The budgets of callers without a key; REST and streams of a process share them. */
export function openAnonymousBudget({ ANONYMOUS_RPM: rpm }: Config, registry: Registry): AnonymousBudget {
  return new AnonymousBudget(registry, { requests: { rpm, burst: Math.ceil(rpm / 2) } })
}

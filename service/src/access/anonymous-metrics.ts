import { Counter, type Registry } from 'prom-client'

export type AnonymousMetrics = ReturnType<typeof createMetrics>

/** Several parts of a process share a registry, which refuses a second metric of the same name. */
const known = new WeakMap<Registry, AnonymousMetrics>()

export function anonymousMetrics(registry: Registry): AnonymousMetrics {
  const metrics = known.get(registry) ?? createMetrics(registry)
  known.set(registry, metrics)
  return metrics
}

function createMetrics(registry: Registry) {
  return {
    refused: new Counter({
      name: 'anonymous_refusals_total',
      help: 'Requests without a valid key that were refused because their address had used its budget, by kind: requests, sign_ins, upgrades or callbacks',
      labelNames: ['kind'] as const,
      registers: [registry],
    }),
  }
}

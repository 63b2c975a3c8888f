import { Counter, Histogram, type Registry } from 'prom-client'

export type ApiMetrics = ReturnType<typeof createMetrics>

/** Several roles of a process may share a registry, which refuses a second metric of the same name. */
const known = new WeakMap<Registry, ApiMetrics>()

/** The metrics of requests over every transport. */
export function apiMetrics(registry: Registry): ApiMetrics {
  const metrics = known.get(registry) ?? createMetrics(registry)
  known.set(registry, metrics)
  return metrics
}

function createMetrics(registry: Registry) {
  const registers = [registry]
  return {
    requests: new Counter({
      name: 'api_requests_total',
      help: 'Requests by transport, endpoint or tool, and status of the answer; 499 when the caller disconnected first',
      labelNames: ['transport', 'route', 'status'] as const,
      registers,
    }),
    durationSeconds: new Histogram({
      name: 'api_request_duration_seconds',
      help: 'Time from receiving a request to handing its answer to the transport',
      labelNames: ['transport', 'route'] as const,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    refusals: new Counter({
      name: 'api_refusals_total',
      help: 'Requests that were answered with an error, by its code',
      labelNames: ['transport', 'code'] as const,
      registers,
    }),
    brokenFiles: new Counter({
      name: 'api_broken_files_total',
      help: 'Answers that were broken off because object storage sent more or fewer bytes than the file has, or a store failed',
      registers,
    }),
    creditsCharged: new Counter({
      name: 'api_credits_charged_total',
      help: 'Credits charged for answers',
      labelNames: ['transport', 'route'] as const,
      registers,
    }),
  }
}

import { Counter, Gauge, type Registry } from 'prom-client'

export type ConnectionMetrics = ReturnType<typeof createMetrics>

/** Several servers of a process may share a registry, which refuses a second metric of the same name. */
const known = new WeakMap<Registry, ConnectionMetrics>()

/** The metrics of TCP connections to HTTP servers. */
export function connectionMetrics(registry: Registry): ConnectionMetrics {
  const metrics = known.get(registry) ?? createMetrics(registry)
  known.set(registry, metrics)
  return metrics
}

function createMetrics(registry: Registry) {
  const registers = [registry]
  return {
    open: new Gauge({
      name: 'http_connections',
      help: 'Open connections to the HTTP servers',
      registers,
    }),
    cut: new Counter({
      name: 'http_connections_cut_total',
      help: 'Connections that the server closed: request_timeout (headers or body too slow), invalid_http, no_request (open for 5 s without a byte), slow_reader (answer read too slowly), connection_limit (refused at once, the process has too many), shutdown',
      labelNames: ['reason'] as const,
      registers,
    }),
  }
}

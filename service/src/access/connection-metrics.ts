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
      help: 'Open connections to the HTTP servers by kind: anonymous (no valid key yet), keyed, or proxy (from a trusted proxy)',
      labelNames: ['kind'] as const,
      registers,
    }),
    cut: new Counter({
      name: 'http_connections_cut_total',
      help: 'Connections that the server closed: request_timeout (headers or body too slow), invalid_http, stalled_reader (no byte of the answer read for 20 to 40 s), slow_reader (answer read too slowly), no_request (open for 5 s without a byte, or for 15 s without a request), address_limit and anonymous_limit (too many without a valid key), connection_limit (refused at once, the process has too many), shutdown',
      labelNames: ['reason'] as const,
      registers,
    }),
  }
}

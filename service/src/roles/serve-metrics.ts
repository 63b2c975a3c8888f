import { createServer } from 'node:http'
import type { Registry } from 'prom-client'
import type { Config } from '../config.ts'

/** Serves the Prometheus metrics. Port 0 disables it. */
export async function serveMetrics(
  { METRICS_HOST: host, METRICS_PORT: port }: Pick<Config, 'METRICS_HOST' | 'METRICS_PORT'>,
  registry: Registry,
  onListening: (address: string) => void,
): Promise<() => void> {
  if (port === 0) return () => {}
  const server = createServer((_request, response) => {
    registry.metrics().then(
      (text) => response.setHeader('content-type', registry.contentType).end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  onListening(`http://${host}:${port}/metrics`)
  return () => server.close()
}

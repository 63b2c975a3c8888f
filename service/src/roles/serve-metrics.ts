import { createServer } from 'node:http'
import type { Registry } from 'prom-client'

/** Serves the Prometheus metrics, on loopback only. Port 0 disables it. */
export async function serveMetrics(
  port: number,
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
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  onListening(`http://127.0.0.1:${port}/metrics`)
  return () => server.close()
}

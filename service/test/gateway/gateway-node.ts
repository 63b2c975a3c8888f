import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { type GatewayParts, openGateway } from '../../src/wiring/open-gateway.ts'

export interface Node {
  readonly url: string
  readonly registry: Registry
  /** Looks at the clock, as it does once a second. */
  updateMarkets(): void
  stop(): Promise<void>
}

/** Starts a gateway with everything that a process has of its own, on a free port. */
export async function startGatewayNode(parts: Omit<GatewayParts, 'registry'>): Promise<Node> {
  const stop = new AbortController()
  const registry = new Registry()
  const { gateway, run } = openGateway({ ...parts, registry })
  const server = createServer()
  server.on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const running = run(stop.signal)
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    registry,
    updateMarkets: () => gateway.updateMarkets(),
    stop: async () => {
      if (stop.signal.aborted) return
      stop.abort()
      await running
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

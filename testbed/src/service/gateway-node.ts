import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openGateway } from '@bookreel/service/wiring/open-gateway'
import { Registry } from 'prom-client'
import type { TestService } from './test-service.ts'

export interface GatewayNode {
  readonly port: number
  stop(): Promise<void>
}

/** Starts a gateway on its own port, over the stores of a test service. */
export async function startGatewayNode(service: TestService): Promise<GatewayNode> {
  const { config, access, stores, nowMs } = service
  const stop = new AbortController()
  const open = openGateway({ config, access, stores, nowMs, registry: new Registry(), onTrouble: () => {} })
  const { gateway, run } = open
  const server = createServer().on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const running = run(stop.signal)
  service.gateways.add(open)
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      service.gateways.delete(open)
      stop.abort()
      await running
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

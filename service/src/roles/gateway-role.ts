import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { wallClock } from '../domain/clock.ts'
import { createHardenedServer } from '../http/hardened-server.ts'
import { addListeners, requireFreePort, SHARED_PORT } from '../http/listeners.ts'
import { openAccess } from '../wiring/open-access.ts'
import { openGateway } from '../wiring/open-gateway.ts'
import { openStores } from '../wiring/open-stores.ts'
import { runLiveCatalogue } from '../wiring/run-live-catalogue.ts'
import { STORE_LIMITS } from '../wiring/store-limits.ts'
import { requireLimitedLogin, requireSafeSettings } from './require-safe-settings.ts'
import type { Role } from './role.ts'

/** Serves WebSocket streams in a process of their own. */
export const gatewayRole: Role = async ({ config, log, registry, nowMs = wallClock }, signal) => {
  requireSafeSettings(config)
  await requireLimitedLogin(config)
  const onTrouble = (error: unknown): void => log.warn({ err: error }, 'store request failed')
  const access = openAccess(config, onTrouble, STORE_LIMITS, nowMs)
  try {
    await using stores = openStores(config, access.database, onTrouble, STORE_LIMITS, nowMs)
    access.nodes.follow(stores.heartbeats)
    await access.untilRedisReady()
    const { gateway, run } = openGateway({ config, access, stores, registry, nowMs, onTrouble })
    const { server, drain } = createHardenedServer({ registry }, (_request, response) => {
      response.writeHead(426, { 'content-type': 'text/plain', upgrade: 'websocket' }).end('Here are only WebSockets.\n')
    })
    server.on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head))
    await requireFreePort(config.GATEWAY_PORT, config.HTTP_HOST)
    server.listen({ port: config.GATEWAY_PORT, host: config.HTTP_HOST, ...SHARED_PORT })
    await once(server, 'listening')
    const listeners = await addListeners(server)
    log.info({ port: (server.address() as AddressInfo).port }, 'WebSocket server listening')
    const kept = runLiveCatalogue({ config, catalogue: stores.catalogue, registry, log, onTrouble }, signal)
    await Promise.all([run(signal), access.run(signal), kept])
    drain()
    server.close()
    await listeners.close()
  } finally {
    await access.close()
  }
}

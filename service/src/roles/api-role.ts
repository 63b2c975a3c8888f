import { once } from 'node:events'
import { wallClock } from '../domain/clock.ts'
import { asyncApi } from '../gateway/protocol/asyncapi.ts'
import { readConsole } from '../http/console/console-files.ts'
import { addListeners, requireFreePort, SHARED_PORT } from '../http/listeners.ts'
import { buildServer } from '../http/server.ts'
import { addStaticFile } from '../http/static-file.ts'
import { addMcp } from '../mcp/add-mcp.ts'
import { openAccess } from '../wiring/open-access.ts'
import { openAnonymousBudget } from '../wiring/open-anonymous-budget.ts'
import { openGateway } from '../wiring/open-gateway.ts'
import { openMcp } from '../wiring/open-mcp.ts'
import { openPipeline } from '../wiring/open-pipeline.ts'
import { openSignIn } from '../wiring/open-sign-in.ts'
import { openStores } from '../wiring/open-stores.ts'
import { runLiveCatalogue } from '../wiring/run-live-catalogue.ts'
import { STORE_LIMITS } from '../wiring/store-limits.ts'
import { requireLimitedLogin, requireSafeSettings } from './require-safe-settings.ts'
import type { Role } from './role.ts'

/** Serves REST, MCP and, with `STREAM_IN_API`, streams. */
export const apiRole: Role = async ({ config, log, registry, nowMs = wallClock }, signal) => {
  requireSafeSettings(config)
  await requireLimitedLogin(config)
  const onTrouble = (error: unknown): void => log.warn({ err: error }, 'store request failed')
  const access = openAccess(config, onTrouble, STORE_LIMITS, nowMs)
  try {
    await using stores = openStores(config, access.database, onTrouble, STORE_LIMITS, nowMs)
    access.nodes.follow(stores.heartbeats)
    await access.untilRedisReady()
    const signIn = openSignIn(config, access)
    const pipeline = openPipeline({ access, stores, registry, signIn, nowMs })
    const anonymousBudget = openAnonymousBudget(config, registry)
    const server = await buildServer({
      pipeline,
      log,
      isRequestLogged: config.REQUEST_LOG,
      isHttpsRequired: config.REQUIRE_HTTPS,
      trustedProxies: config.TRUSTED_PROXIES ?? [],
      publicUrl: config.PUBLIC_URL,
      securityContact: config.SECURITY_CONTACT,
      signIn,
      console: config.CONSOLE_DIR === undefined ? undefined : readConsole(config.CONSOLE_DIR),
      streamUrl: config.PUBLIC_STREAM_URL,
      registry,
      anonymousBudget,
    })
    await addMcp(server, openMcp(config, pipeline, log))
    const { catalogue } = stores
    const background = [access.run(signal), runLiveCatalogue({ config, catalogue, registry, log, onTrouble }, signal)]
    if (config.STREAM_IN_API) {
      const { gateway, run } = openGateway({ config, access, stores, registry, nowMs, onTrouble, anonymousBudget })
      addStaticFile(server, '/asyncapi.json', {
        content: JSON.stringify(asyncApi()),
        type: 'application/json; charset=utf-8',
        cacheControl: 'public, max-age=60',
      })
      server.server.on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head))
      background.push(run(signal))
    }
    await requireFreePort(config.HTTP_PORT, config.HTTP_HOST)
    const address = await server.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT, ...SHARED_PORT })
    const listeners = await addListeners(server.server)
    log.info({ address, isHttpsRequired: config.REQUIRE_HTTPS }, 'HTTP server listening')
    if (!signal.aborted) await once(signal, 'abort')
    await Promise.all([server.close(), listeners.close()])
    await Promise.all(background)
  } finally {
    await access.close()
  }
}

import { once } from 'node:events'
import { buildServer } from '../http/server.ts'
import { openAccess } from './open-access.ts'
import { openStores } from './open-stores.ts'
import type { Role } from './role.ts'

/** Questions over HTTP. */
export const apiRole: Role = async ({ config, log }, signal) => {
  const onTrouble = (error: unknown): void => log.warn({ err: error }, 'a store is in trouble')
  const access = openAccess(config, onTrouble)
  try {
    await using stores = openStores(config, access.database, onTrouble)
    await access.untilRedisReady()
    const server = await buildServer({
      gate: access.gate,
      stores,
      nowMs: Date.now,
      log,
      isHttpsRequired: config.REQUIRE_HTTPS,
      trustedProxies: config.TRUSTED_PROXIES,
    })
    const background = Promise.all([access.run(signal), stores.catalogue.run(onTrouble, signal)])
    const address = await server.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT })
    log.info({ address }, 'answers')
    if (!signal.aborted) await once(signal, 'abort')
    await server.close()
    await background
  } finally {
    await access.close()
  }
}

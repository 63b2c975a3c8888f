import { collectDefaultMetrics, Registry } from 'prom-client'
import { runHeartbeat } from '../bus/heartbeat.ts'
import type { Config } from '../config.ts'
import { openBus } from '../wiring/engines.ts'
import { openLog } from '../wiring/open-log.ts'
import { allRoles, ROLES } from './all-roles.ts'
import { serveMetrics } from './serve-metrics.ts'

/** Runs the roles in parallel. If one fails, the others stop too and the exit code is 1. */
export async function runRoles(names: readonly string[], config: Config): Promise<void> {
  const chosen = names.includes('all') ? allRoles(config) : names
  const stop = new AbortController()
  const log = openLog(config, process.stdout)
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  stopOnSignal(stop)
  const closeMetrics = await serveMetrics(config, registry, (address) =>
    log.info({ address }, 'metrics server listening'),
  )
  log.info({ roles: chosen }, 'process started')
  const heartbeat = runHeartbeat(
    {
      roles: chosen,
      registry,
      connect: () => openBus(config, 'heartbeat'),
      onTrouble: (error) => log.warn({ err: error }, 'heartbeat failed'),
    },
    stop.signal,
  )
  const outcomes = await Promise.allSettled(
    chosen.map(async (name) => {
      try {
        const role = await ROLES[name]?.()
        await role?.({ config, log: log.child({ role: name }), registry }, stop.signal)
      } catch (error) {
        log.fatal({ role: name, err: error }, 'role failed')
        throw error
      } finally {
        stop.abort()
      }
    }),
  )
  await heartbeat.catch((error: unknown) => log.warn({ err: error }, 'heartbeat failed'))
  closeMetrics()
  log.info('process stopped')
  if (outcomes.some(({ status }) => status === 'rejected')) process.exitCode = 1
}

/** Stops on a signal, when the IPC channel to the parent closes, and when the log reader is gone. */
function stopOnSignal(stop: AbortController): void {
  const end = (): void => stop.abort()
  process.once('SIGTERM', end).once('SIGINT', end).once('disconnect', end)
  process.channel?.unref()
  process.stdout.on('error', end)
  process.stderr.on('error', end)
}

import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '../domain/api-error.ts'
import { CHECK_EVERY_MS, OverloadMonitor } from './overload-monitor.ts'

export interface LoadSheddingOptions {
  readonly log: Logger
  /** Path prefixes that are always answered. */
  readonly neverRefused: readonly string[]
}

/** Refuses requests while the process is overloaded, see `OverloadMonitor`. */
export function addLoadShedding(app: FastifyInstance, { log, neverRefused }: LoadSheddingOptions): void {
  const monitor = new OverloadMonitor()
  const timer = setInterval(() => {
    const wasOverloaded = monitor.isOverloaded
    monitor.check()
    if (monitor.isOverloaded === wasOverloaded) return
    const queueAgeMs = Math.round(monitor.queueAgeMs)
    if (wasOverloaded) log.info({ queueAgeMs }, 'load shedding ended')
    else log.warn({ queueAgeMs }, 'load shedding started')
  }, CHECK_EVERY_MS)
  timer.unref()
  app.addHook('onClose', (_instance, done) => {
    clearInterval(timer)
    done()
  })
  app.addHook('onRequest', ({ url }, _reply, done) => {
    if (!monitor.isOverloaded || neverRefused.some((path) => url.startsWith(path))) return done()
    done(new ApiError('overloaded', 'The service is overloaded. Try again in a second.', { retryAfterSeconds: 1 }))
  })
}

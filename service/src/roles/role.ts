import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Clock } from '../domain/clock.ts'

/** What every role gets. A role opens everything else itself, and closes it before it returns. */
export interface RoleContext {
  config: Config
  log: Logger
  registry: Registry
  /** Default: that of the machine. */
  nowMs?: Clock
}

/** Runs until the signal, and returns when its last work is done. */
export type Role = (context: RoleContext, signal: AbortSignal) => Promise<void>

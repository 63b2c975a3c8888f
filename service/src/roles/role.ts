import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../config.ts'

/** What every role gets; whatever else it needs it opens itself, and closes before it returns. */
export interface RoleContext {
  config: Config
  log: Logger
  registry: Registry
}

/** Runs until the signal and returns when its last work is settled. */
export type Role = (context: RoleContext, signal: AbortSignal) => Promise<void>

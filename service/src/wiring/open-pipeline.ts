import type { Registry } from 'prom-client'
import { AccountConcurrency } from '../access/account-concurrency.ts'
import { SessionAccess } from '../access/session-access.ts'
import { type Clock, wallClock } from '../domain/clock.ts'
import type { SignIn } from '../http/sign-in.ts'
import type { PipelineDeps } from '../pipeline/answer.ts'
import { apiMetrics } from '../pipeline/api-metrics.ts'
import type { Access } from './open-access.ts'
import type { OpenStores } from './open-stores.ts'

export interface PipelineParts {
  readonly access: Access
  readonly stores: OpenStores
  readonly registry: Registry
  readonly signIn: SignIn | undefined
  /** Default: that of the machine. */
  readonly nowMs?: Clock
}

/** Opens the request pipeline that REST, MCP and streams share. */
export function openPipeline({ access, stores, registry, signIn, nowMs = wallClock }: PipelineParts): PipelineDeps {
  return {
    accessControl: access.accessControl,
    concurrency: new AccountConcurrency(() => access.nodes.count()),
    sessionAccess:
      signIn &&
      new SessionAccess({
        sessions: signIn.sessions,
        operatorOf: signIn.operatorOf,
        accounts: access.accounts,
        keyManager: access,
      }),
    stores,
    metrics: apiMetrics(registry),
    nowMs,
  }
}

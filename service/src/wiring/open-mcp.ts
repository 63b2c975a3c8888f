import type { Logger } from 'pino'
import type { AccountConcurrency } from '../access/account-concurrency.ts'
import type { Config } from '../config.ts'
import type { McpOptions } from '../mcp/add-mcp.ts'
import type { Access } from './open-access.ts'
import type { OpenStores } from './open-stores.ts'

interface Shared {
  readonly access: Pick<Access, 'gate'>
  readonly stores: OpenStores
  /** Those of the HTTP server beside it. */
  readonly turns: AccountConcurrency
  readonly log: Logger
}

/** What MCP needs, out of what the HTTP server beside it has. */
export function openMcp({ MCP_ALLOWED_HOSTS, PUBLIC_URL }: Config, shared: Shared): McpOptions {
  const { access, stores, turns, log } = shared
  return {
    gate: access.gate,
    stores,
    turns,
    nowMs: Date.now,
    allowedHosts: [...MCP_ALLOWED_HOSTS, ...(PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).hostname])],
    onDefect: (error, requestId) => log.error({ requestId, err: error }, 'a tool failed'),
  }
}

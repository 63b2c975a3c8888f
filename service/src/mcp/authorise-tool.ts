import type { Caller } from '../access/caller.ts'
import { ApiError } from '../domain/api-error.ts'
import { requireScope } from '../domain/scope.ts'
import { requireUse } from '../domain/tier.ts'
import type { Tool } from './tool.ts'

type Allowed = Pick<Caller, 'scopes' | 'tier'>

/** Throws what a key or a tier lacks. Tools of the past are for tiers that have all of MCP. */
export function authoriseTool({ scopes, tier }: Allowed, { access }: Tool): void {
  if (access.scope !== undefined) requireScope(scopes, access.scope)
  if (access.capability !== undefined) requireUse(tier, access.capability)
  if (access.scope === 'history') requireUse(tier, 'mcp_full')
}

export function mayCall(allowed: Allowed, tool: Tool): boolean {
  try {
    authoriseTool(allowed, tool)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

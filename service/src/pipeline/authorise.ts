import type { Caller } from '../access/caller.ts'
import { requireScope } from '../domain/scope.ts'
import { type Capability, requireUse } from '../domain/tier.ts'
import type { KeyAccess } from '../endpoints/endpoint.ts'
import type { Admitted } from './exchange.ts'

export interface Allowance {
  readonly caller?: Pick<Caller, 'scopes' | 'tier'>
  readonly user?: Admitted['user']
}

export interface RequiredAccess extends Pick<KeyAccess, 'capability' | 'tierStatus'> {
  readonly scope?: KeyAccess['scope'] | undefined
}

/** Throws `scope_not_allowed` or `tier_not_allowed`. Requests without key and session have the free tier. */
export function authorise(
  { caller, user }: Allowance,
  { scope, capability, tierStatus }: RequiredAccess,
  requires: readonly Capability[] = [],
): void {
  if (caller !== undefined && scope !== undefined) requireScope(caller.scopes, scope)
  const tier = caller?.tier ?? user?.tier ?? 'free'
  if (capability !== undefined) requireUse(tier, capability, tierStatus && { status: tierStatus })
  for (const each of requires) requireUse(tier, each)
}

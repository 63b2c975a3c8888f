import { timingSafeEqual } from 'node:crypto'
import type { Scope } from '../domain/scope.ts'
import { TIER_LIMITS, type Tier, type TierLimits } from '../domain/tier.ts'
import type { PresentedKey } from '../stores/accounts/keys.ts'

/** The holder of a valid key, with the rights and limits of its tier. */
export interface Caller {
  readonly accountId: string
  readonly keyId: string
  /** Hex. */
  readonly keyHash: string
  readonly label: string
  readonly tier: Tier
  readonly scopes: readonly Scope[]
  readonly limits: TierLimits
}

export function callerOf(key: PresentedKey): Caller {
  return {
    accountId: key.accountId,
    keyId: key.id,
    keyHash: key.hash.toString('hex'),
    label: key.label,
    tier: key.tier,
    scopes: key.scopes,
    limits: TIER_LIMITS[key.tier],
  }
}

export function isSameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

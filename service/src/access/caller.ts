import { timingSafeEqual } from 'node:crypto'
import type { Scope } from '../domain/scope.ts'
import { TIER_LIMITS, type Tier, type TierLimits } from '../domain/tier.ts'
import type { KeyStanding, PresentedKey } from '../stores/accounts/keys.ts'

/** The holder of a valid key, with the rights and limits of its tier. */
export interface Caller {
  readonly accountId: string
  readonly keyId: string
  /** Which of its secrets was presented. */
  readonly secretNumber: number
  readonly label: string
  readonly tier: Tier
  readonly scopes: readonly Scope[]
  readonly limits: TierLimits
  /** Undefined when neither the key nor the tier ends. */
  readonly end?: AccessEnd
  /** When PostgreSQL was asked for it, by the clock of `AccessControl`. */
  readonly checkedAtMs: number
}

/** When the access of a caller ends, by the clock of `AccessControl`. */
export interface AccessEnd {
  readonly atMs: number
  readonly of: 'key' | 'tier'
}

/** `askedAtMs` is the time before the query, so that access does not end late when the answer was slow. */
export function callerOf(key: PresentedKey, askedAtMs: number): Caller {
  const end = accessEnd(key.standing, askedAtMs)
  return {
    accountId: key.accountId,
    keyId: key.id,
    secretNumber: key.secretNumber,
    label: key.label,
    tier: key.standing.tier,
    scopes: key.scopes,
    limits: TIER_LIMITS[key.standing.tier],
    ...(end && { end }),
    checkedAtMs: askedAtMs,
  }
}

export function accessEnd({ keyLeftMs, tierLeftMs }: KeyStanding, askedAtMs: number): AccessEnd | undefined {
  const leftMs = Math.min(keyLeftMs ?? Infinity, tierLeftMs ?? Infinity)
  if (leftMs === Infinity) return undefined
  return { atMs: askedAtMs + leftMs, of: leftMs === keyLeftMs ? 'key' : 'tier' }
}

export function isSameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

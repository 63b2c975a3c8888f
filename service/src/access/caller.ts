import { timingSafeEqual } from 'node:crypto'
import type { Scope } from '../domain/scope.ts'
import { CONSOLE_RPM, STREAM_SUBSCRIPTIONS, TIER_LIMITS, type Tier, type TierLimits } from '../domain/tier.ts'
import type { ConsoleKey, KeyStanding, PresentedKey } from '../stores/accounts/keys.ts'

/** The holder of a valid key, with the rights and limits of its tier. */
export interface Caller {
  readonly accountId: string
  readonly keyId: string
  /** Which of its secrets was presented. */
  readonly secretNumber: number
  readonly label: string
  /** The console of a signed-in person, with a rate of its own. */
  readonly isConsole: boolean
  readonly tier: Tier
  readonly scopes: readonly Scope[]
  readonly limits: TierLimits
  /** Undefined when neither the key nor the tier ends. */
  readonly end?: AccessEnd
  /** When PostgreSQL was asked for it, by the clock of `AccessControl`. */
  readonly checkedAtMs: number
}

/** A page follows a market or two; more would make the console a better tier. */
const CONSOLE_SUBSCRIPTIONS = 8

/** Markets times channels on one connection. */
export function subscriptionsOf({ tier, isConsole }: Pick<Caller, 'tier' | 'isConsole'>): number {
  return Math.min(STREAM_SUBSCRIPTIONS[tier], isConsole ? CONSOLE_SUBSCRIPTIONS : Infinity)
}

/** When the access of a caller ends, by the clock of `AccessControl`. */
export interface AccessEnd {
  readonly atMs: number
  readonly of: 'key' | 'tier'
}

/** `askedAtMs` is the time before the query, so that access does not end late when the answer was slow. */
export function callerOf(key: PresentedKey | ConsoleKey, askedAtMs: number, isConsole = false): Caller {
  const end = accessEnd(key.standing, askedAtMs)
  const { tier } = key.standing
  return {
    accountId: key.accountId,
    keyId: key.id,
    secretNumber: key.secretNumber,
    label: key.label,
    isConsole,
    tier,
    scopes: key.scopes,
    limits: isConsole ? { ...TIER_LIMITS[tier], rpm: CONSOLE_RPM[tier] } : TIER_LIMITS[tier],
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

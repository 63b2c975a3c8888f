import type { AccessControl } from '../access/access-control.ts'
import type { SessionAccess } from '../access/session-access.ts'
import type { PaidRead } from '../domain/paid-read.ts'
import { creditsOfBooks } from '../domain/prices.ts'
import { requireUse } from '../domain/tier.ts'
import { type CallerContext, keyAccessOf, type RequestContext } from '../endpoints/endpoint.ts'
import { type PerpStores, perpReads } from '../endpoints/shared/perp-reads.ts'
import type { Stores } from '../endpoints/stores.ts'
import type { Admitted, IncomingRequest, ReadInput } from './exchange.ts'

interface ContextDeps {
  readonly accessControl: AccessControl
  readonly sessionAccess?: SessionAccess | undefined
  readonly stores: Stores & PerpStores
  readonly nowMs: () => number
}

/** What a handler gets in addition to its input. */
export function contextOf(
  { accessControl, sessionAccess, stores, nowMs }: ContextDeps,
  { operation }: Pick<IncomingRequest, 'operation'>,
  { idempotencyKey }: Pick<ReadInput, 'idempotencyKey'>,
  admitted: Admitted,
  { signal, paidRead }: { readonly signal: AbortSignal; readonly paidRead: PaidRead | undefined },
): RequestContext {
  const { caller, user } = admitted
  const status = keyAccessOf(operation)?.tierStatus
  const tier = caller?.tier ?? user?.tier ?? 'free'
  const atMs = nowMs()
  return {
    caller,
    user,
    keyManager: user && sessionAccess?.keysOf(user),
    callerContext: callerContextOf(accessControl, admitted, paidRead),
    idempotencyKey: user && idempotencyKey,
    stores,
    perps: perpReads(stores, tier, paidRead?.atMs ?? atMs),
    nowMs: atMs,
    paidRead,
    signal,
    require: (capability) => requireUse(tier, capability, status && { status }),
  }
}

function callerContextOf(
  accessControl: AccessControl,
  { caller, rate }: Admitted,
  paidRead: PaidRead | undefined,
): CallerContext | undefined {
  if (caller === undefined || rate === undefined) return undefined
  const { freeBooksLeft } = rate
  return {
    rate,
    freeBooksLeft,
    async requireBooks(atLeast) {
      const credits = creditsOfBooks(atLeast, freeBooksLeft ?? Infinity)
      if (credits > 0 && paidRead === undefined) await accessControl.requireCredits(caller, credits)
    },
    spendable: () => accessControl.spendable(caller),
    async requireCredits(credits, heldAs, boughtBeforeMs) {
      if (paidRead !== undefined) return
      const isHeld = heldAs !== undefined && (await accessControl.holds(caller, heldAs, boughtBeforeMs))
      if (!isHeld) await accessControl.requireCredits(caller, credits)
    },
  }
}

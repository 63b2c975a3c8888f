import type { AccessControl } from '../access/access-control.ts'
import { type SessionAccess, signInNotConfigured } from '../access/session-access.ts'
import { ApiError } from '../domain/api-error.ts'
import type { Admitted, Identity, IncomingRequest } from './exchange.ts'

export interface AdmissionDeps {
  readonly accessControl: Pick<AccessControl, 'authenticate' | 'admit'>
  /** Undefined when sign-in is not configured. */
  readonly sessionAccess?: SessionAccess | undefined
}

type Presented = Pick<IncomingRequest, 'operation' | 'credentials' | 'onAdmitted'>

export async function authenticate(
  { accessControl, sessionAccess }: AdmissionDeps,
  { operation: { access }, credentials: { key, ip, sessionToken } }: Presented,
): Promise<Identity> {
  if (access === 'public' && key === undefined) return {}
  if (key instanceof ApiError) throw key
  if (access === 'public' || access.by === 'key') return { caller: await accessControl.authenticate(key, ip) }
  if (sessionAccess === undefined) throw signInNotConfigured()
  return { signedInAccountId: await sessionAccess.authenticate(sessionToken) }
}

/** Counts the request against the caller's rate limit; requests that are refused later count too. */
export async function admit(
  { accessControl, sessionAccess }: AdmissionDeps,
  { operation: { access }, onAdmitted }: Presented,
  { caller, signedInAccountId }: Identity,
): Promise<Admitted> {
  if (signedInAccountId !== undefined && sessionAccess !== undefined) {
    return { user: await sessionAccess.admit(signedInAccountId) }
  }
  if (caller === undefined) return {}
  if (access === 'public') return { caller }
  const rate = await accessControl.admit(caller)
  onAdmitted?.(rate)
  return { caller, rate }
}

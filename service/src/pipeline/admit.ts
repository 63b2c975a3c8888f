import type { AccessControl } from '../access/access-control.ts'
import { type SessionAccess, signInNotConfigured } from '../access/session-access.ts'
import { ApiError, noSuchPath } from '../domain/api-error.ts'
import type { Admitted, Identity, IncomingRequest } from './exchange.ts'

export interface AdmissionDeps {
  readonly accessControl: Pick<AccessControl, 'authenticate' | 'authenticateConsole' | 'admit'>
  /** Undefined when sign-in is not configured. */
  readonly sessionAccess?: SessionAccess | undefined
}

type Presented = Pick<IncomingRequest, 'operation' | 'credentials' | 'onAdmitted'>

export async function authenticate(
  { accessControl, sessionAccess }: AdmissionDeps,
  { operation: { access }, credentials: { key, ip, sessionToken, isConsole } }: Presented,
): Promise<Identity> {
  if (access === 'public' && key === undefined) return {}
  if (key instanceof ApiError) throw key
  const isOfSession = access !== 'public' && access.by === 'session'
  if (!isOfSession && !isConsole) return { caller: await accessControl.authenticate(key, ip) }
  if (sessionAccess === undefined) throw signInNotConfigured()
  const session = await sessionAccess.authenticate(sessionToken)
  return isOfSession ? { session } : { caller: await accessControl.authenticateConsole(session.accountId) }
}

/** Counts the request against the caller's rate limit; requests that are refused later count too. */
export async function admit(
  { accessControl, sessionAccess }: AdmissionDeps,
  { operation: { access }, onAdmitted }: Presented,
  { caller, session }: Identity,
): Promise<Admitted> {
  if (session !== undefined && sessionAccess !== undefined) {
    const user = await sessionAccess.admit(session)
    const isForOperators = access !== 'public' && access.by === 'session' && access.isForOperators === true
    if (isForOperators && user.operator === undefined) throw noSuchPath()
    return { user }
  }
  if (caller === undefined) return {}
  if (access === 'public') return { caller }
  const rate = await accessControl.admit(caller)
  onAdmitted?.(rate)
  return { caller, rate }
}

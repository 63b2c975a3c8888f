import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AccessControl } from '../access/access-control.ts'
import type { AnonymousBudget, AnonymousKind } from '../access/anonymous-budget.ts'
import type { KnownRate } from '../access/known-rate.ts'
import { SuspectSessions } from '../access/suspect-sessions.ts'
import { presentedKey } from '../pipeline/presented-key.ts'
import { CALLBACKS_PATH } from './payment-callbacks.ts'
import { routeOf } from './route-of.ts'
import { SESSION_COOKIE } from './session-cookies.ts'
import type { SignIn } from './sign-in.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the pipeline authenticates and counts on this route. */
    readonly countedBy?: 'key' | 'session'
  }
}

export interface AnonymousRequestsOptions {
  readonly budget: AnonymousBudget
  readonly knownRate: KnownRate
  readonly accessControl: Pick<AccessControl, 'accepts' | 'knownAccount'>
  readonly signIn: SignIn | undefined
  /** Prefixes of routes that are always answered; their answers come from memory. */
  readonly neverRefused: readonly string[]
}

const SESSION_TOKEN = new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([\\w-]+)`)
const SIGN_IN_ROUTES = ['/auth/login', '/auth/callback']

/**
 * Counts every request without a valid key or session against the budget of its address; customers are never refused by
 * it. Those with one are counted by account, unless the pipeline does so. Routes count, not addresses as they were sent:
 * one path has many spellings.
 */
export function addAnonymousBudget(app: FastifyInstance, options: AnonymousRequestsOptions): void {
  const { budget, knownRate, accessControl, signIn, neverRefused } = options
  const suspects = signIn && new SuspectSessions(signIn.sessions)
  app.addHook('onRequest', async (request) => {
    const { ip } = request
    const route = routeOf(request) ?? ''
    if (neverRefused.some((path) => route.startsWith(path))) return
    const kind = kindOf(route)
    if (kind !== 'requests') return budget.take(kind, ip, async () => false)
    const { countedBy } = request.routeOptions.config
    const key = presentedKey(request.headers)
    const token = sessionTokenIn(request)
    const ofKey = typeof key === 'string' ? accessControl.knownAccount(key) : undefined
    const ofSession = token === undefined ? undefined : signIn?.sessions.knownAccount(token)
    if ((countedBy === 'key' && ofKey !== undefined) || (countedBy === 'session' && ofSession !== undefined)) return
    const account = ofKey ?? ofSession
    if (account !== undefined) return knownRate.take(account)
    await budget.take(kind, ip, () => isCustomer(accessControl, suspects, { key, token, ip }))
  })
}

function kindOf(route: string): AnonymousKind {
  if (route.startsWith(CALLBACKS_PATH)) return 'callbacks'
  return SIGN_IN_ROUTES.includes(route) ? 'sign_ins' : 'requests'
}

/** Asked only when the budget of the address is used up, perhaps by somebody else behind the same address. */
async function isCustomer(
  accessControl: AnonymousRequestsOptions['accessControl'],
  suspects: SuspectSessions | undefined,
  { key, token, ip }: { readonly key: unknown; readonly token: string | undefined; readonly ip: string },
): Promise<boolean> {
  if (typeof key === 'string' && (await accessControl.accepts(key, ip))) return true
  if (token === undefined || suspects === undefined) return false
  return suspects.isOpen(token).catch(() => false)
}

/** Before cookies are parsed. */
function sessionTokenIn({ headers }: FastifyRequest): string | undefined {
  return SESSION_TOKEN.exec(headers.cookie ?? '')?.[1]
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AccessControl } from '../access/access-control.ts'
import type { AnonymousBudget, AnonymousKind } from '../access/anonymous-budget.ts'
import { presentedKey } from '../pipeline/presented-key.ts'
import { CALLBACKS_PATH } from './payment-callbacks.ts'
import { SESSION_COOKIE } from './session-cookies.ts'
import type { SignIn } from './sign-in.ts'

export interface AnonymousRequestsOptions {
  readonly budget: AnonymousBudget
  readonly accessControl: Pick<AccessControl, 'authenticate' | 'isKnown'>
  readonly signIn: SignIn | undefined
  /** Path prefixes that are always answered; their answers come from memory. */
  readonly neverRefused: readonly string[]
}

const SIGN_IN_PATHS = ['/auth/login', '/auth/callback']

/** Counts every request without a valid key against the budget of its address. Customers are never refused by it. */
export function addAnonymousBudget(app: FastifyInstance, options: AnonymousRequestsOptions): void {
  const { budget, accessControl, neverRefused } = options
  app.addHook('onRequest', async (request) => {
    const { url, ip } = request
    if (neverRefused.some((path) => url.startsWith(path))) return
    const kind = kindOf(url)
    if (kind !== 'requests') return budget.take(kind, ip, async () => false)
    const key = presentedKey(request.headers)
    if (typeof key === 'string' && accessControl.isKnown(key)) return
    await budget.take(kind, ip, () => isCustomer(options, request, key))
  })
}

function kindOf(url: string): AnonymousKind {
  if (url.startsWith(CALLBACKS_PATH)) return 'callbacks'
  return SIGN_IN_PATHS.some((path) => url.startsWith(path)) ? 'sign_ins' : 'requests'
}

/** Asked only when the budget of the address is used up, perhaps by somebody else behind the same address. */
async function isCustomer(
  { accessControl, signIn }: AnonymousRequestsOptions,
  request: FastifyRequest,
  key: unknown,
): Promise<boolean> {
  const token = new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1]
  const isFound = (found: Promise<unknown>): Promise<boolean> =>
    found.then(
      (each) => each !== undefined,
      () => false,
    )
  if (typeof key === 'string' && (await isFound(accessControl.authenticate(key, request.ip)))) return true
  return token !== undefined && signIn !== undefined && isFound(signIn.sessions.find(token))
}

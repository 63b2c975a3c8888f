import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Stores } from '../endpoints/stores.ts'
import { addAccountPage } from './account-page.ts'
import { addSessionRoutes } from './session-routes.ts'
import { addSignIn, type SignIn } from './sign-in.ts'

export interface BrowserRoutesOptions {
  readonly signIn?: SignIn | undefined
  readonly stores: Stores
  readonly nowMs: () => number
  readonly log: Logger
}

/** What people use and programs don't. Cookies are read nowhere else. */
export async function addBrowserRoutes(
  app: FastifyInstance,
  sessionRoutes: readonly { readonly endpoint: Endpoint; readonly url: string }[],
  { signIn, stores, nowMs, log }: BrowserRoutesOptions,
): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(cookie)
    addSessionRoutes(scope, sessionRoutes, { signedIn: signIn, stores, nowMs })
    await scope.register(async (inner) => addSignIn(inner, signIn, log))
    addAccountPage(scope)
  })
}

import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { addSignIn, type SignIn } from './sign-in.ts'
import { leaveBodiesUnread } from './unread-bodies.ts'

export interface BrowserRoutesOptions {
  readonly signIn: SignIn | undefined
  readonly log: Logger
}

/** Adds the sign-in and the session endpoints. These routes and those of the console read cookies, and no others. */
export async function addBrowserRoutes(
  app: FastifyInstance,
  { signIn, log }: BrowserRoutesOptions,
  addSessionEndpoints: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(cookie)
    await scope.register(async (inner) => {
      leaveBodiesUnread(inner)
      addSessionEndpoints(inner)
    })
    await scope.register(async (inner) => addSignIn(inner, signIn, log))
  })
}

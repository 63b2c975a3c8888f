import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { z } from 'zod'
import { type IdentityProvider, signInFailed } from '../access/identity-provider.ts'
import { ApiError } from '../domain/api-error.ts'
import type { People } from '../stores/accounts/people.ts'
import { refusalPage } from './account-page.ts'
import { searchOf } from './answer-request.ts'
import { apiErrorOf } from './api-error-of.ts'
import { requireSameSite } from './same-site.ts'
import { clearPending, clearSession, pendingToken, sessionToken, setPending, setSession } from './session-cookies.ts'
import { type SessionDeps, signInNotConfigured } from './session-routes.ts'

export interface SignIn extends SessionDeps {
  readonly provider: IdentityProvider
  readonly people: People
}

const PAGE = '/account'
const Farewell = z.strictObject({ everywhere: z.boolean().default(false) })

/** Where browsers go to sign in and out. No tokens reach them: a cookie names what is kept here. */
export function addSignIn(app: FastifyInstance, signIn: SignIn | undefined, log: Logger): void {
  const configured = (): SignIn => {
    if (signIn === undefined) throw signInNotConfigured()
    return signIn
  }
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  app.setErrorHandler((error, request, reply) => sayNoToPeople(log, error, request, reply))

  app.get('/auth/login', async (request, reply) => {
    const { sessions, provider, origin } = configured()
    const returnTo = localPath(searchOf(request.url).get('return_to') ?? PAGE, origin)
    const { address, expected } = await provider.begin()
    setPending(reply, await sessions.beginSignIn({ ...expected, returnTo }))
    return reply.redirect(address.href, 303)
  })

  app.get('/auth/callback', async (request, reply) => {
    const { sessions, provider, people } = configured()
    clearPending(reply)
    const pending = await sessions.takeSignIn(pendingToken(request))
    if (pending === undefined) throw signInFailed('it was started in another browser or more than ten minutes ago')
    const { idToken, ...person } = await provider.finish(request.url.slice(request.url.indexOf('?')), pending)
    const { accountId } = await people.signIn(person)
    const former = await sessions.find(sessionToken(request))
    if (former !== undefined) await sessions.end(former)
    const { email, name } = person
    const token = await sessions.begin({
      accountId,
      idToken,
      ...(email !== undefined && { email }),
      ...(name !== undefined && { name }),
    })
    setSession(reply, token)
    return reply.redirect(pending.returnTo, 303)
  })

  app.get('/auth/session', async (request, reply) => {
    const session = await configured().sessions.find(sessionToken(request))
    if (session === undefined) return reply.send({ signedIn: false })
    const { accountId, email = null, name = null, idleUntilMs, lastsUntilMs } = session
    return reply.send({
      signedIn: true,
      accountId,
      email,
      name,
      idleUntil: new Date(idleUntilMs).toISOString(),
      lastsUntil: new Date(lastsUntilMs).toISOString(),
    })
  })

  app.post('/auth/logout', async (request, reply) => {
    const { sessions, provider, origin } = configured()
    const session = await sessions.require(sessionToken(request))
    requireSameSite(request, origin)
    if (farewellOf(request).everywhere) await sessions.endAll(session.accountId)
    else await sessions.end(session)
    clearSession(reply)
    // Here it has ended in any case; a provider that is away is only not told.
    const page = new URL(PAGE, origin)
    const address = await provider.farewell(session.idToken, page).catch(() => undefined)
    return reply.send({ goTo: (address ?? page).href })
  })
}

/** A browser that was on its way to a page gets a page; programs get what they always get. */
function sayNoToPeople(log: Logger, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.accept?.includes('text/html') !== true) throw error
  const fault = apiErrorOf(error)
  if (fault.status >= 500) log.error({ requestId: request.id, err: fault.cause ?? fault }, fault.message)
  if (fault.retryAfterSeconds !== undefined) reply.header('retry-after', fault.retryAfterSeconds)
  return refusalPage(reply.status(fault.status), fault.message)
}

function farewellOf({ body }: FastifyRequest): z.infer<typeof Farewell> {
  const read = Farewell.safeParse(body ?? {})
  if (read.success) return read.data
  throw new ApiError('invalid_request', 'everywhere: expected true or false')
}

/** A path of ours, or `invalid_request`: nobody is sent elsewhere after they signed in. */
function localPath(text: string, origin: string): string {
  const address = text.startsWith('/') && URL.canParse(text, origin) ? new URL(text, origin) : undefined
  // Whole: of `/.//elsewhere` the path alone would lead elsewhere.
  if (address?.origin === origin) return address.href
  throw new ApiError('invalid_request', 'return_to: expected a path of this service', {
    details: { problems: [{ parameter: 'return_to', problem: 'expected a path of this service' }] },
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { z } from 'zod'
import { type IdentityProvider, signInFailed } from '../access/identity-provider.ts'
import type { OperatorOf } from '../access/operator-rule.ts'
import { signInNotConfigured } from '../access/session-access.ts'
import type { Sessions } from '../access/sessions.ts'
import { ApiError } from '../domain/api-error.ts'
import type { People } from '../stores/accounts/people.ts'
import { apiErrorOf } from './api-error-of.ts'
import { refusalPage } from './refusal-page.ts'
import { searchOf } from './rest-exchange.ts'
import { requireSameSite } from './same-site.ts'
import { clearPending, clearSession, pendingToken, sessionToken, setPending, setSession } from './session-cookies.ts'

export interface SignIn {
  readonly sessions: Sessions
  /** Origin of the console. */
  readonly origin: string
  readonly provider: IdentityProvider
  readonly people: People
  readonly operatorOf: OperatorOf
}

const PAGE = '/app'
/** With the address of the service. It is kept in a cookie, and browsers keep no more than 4,096 bytes. */
const MAX_RETURN_TO_LENGTH = 512
const LogoutBody = z.strictObject({ everywhere: z.boolean().default(false) })

/** Sign-in and sign-out. Tokens of the identity provider stay here; the browser gets only a session cookie. */
export function addSignIn(app: FastifyInstance, signIn: SignIn | undefined, log: Logger): void {
  const configured = (): SignIn => {
    if (signIn === undefined) throw signInNotConfigured()
    return signIn
  }
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  app.setErrorHandler((error, request, reply) => sendErrorPage(log, error, request, reply))

  app.get('/auth/login', async (request, reply) => {
    const { sessions, provider, origin } = configured()
    const search = searchOf(request.url)
    const returnTo = localPath(search.get('return_to') ?? PAGE, origin)
    const { address, expected } = await provider.begin({ isAgain: search.get('again') === 'true' })
    setPending(reply, sessions.beginSignIn({ ...expected, returnTo }))
    return reply.redirect(address.href, 303)
  })

  app.get('/auth/callback', async (request, reply) => {
    const { sessions, provider, people } = configured()
    clearPending(reply)
    const pending = sessions.pendingSignIn(pendingToken(request))
    if (pending === undefined) throw signInFailed('it was started in another browser or more than ten minutes ago')
    if (!(await sessions.spendSignIn(pending))) throw signInFailed('it was already used')
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
    const { sessions, operatorOf } = configured()
    const session = await sessions.find(sessionToken(request))
    if (session === undefined) return reply.send({ signedIn: false })
    const { accountId, email = null, name = null, idleUntilMs, lastsUntilMs } = session
    return reply.send({
      signedIn: true,
      accountId,
      email,
      name,
      isOperator: operatorOf(session) !== undefined,
      idleUntil: new Date(idleUntilMs).toISOString(),
      lastsUntil: new Date(lastsUntilMs).toISOString(),
    })
  })

  app.post('/auth/logout', async (request, reply) => {
    const { sessions, provider, origin } = configured()
    const session = await sessions.require(sessionToken(request))
    requireSameSite(request, origin)
    if (logoutBodyOf(request).everywhere) await sessions.endAll(session.accountId)
    else await sessions.end(session)
    clearSession(reply)
    // Sign-out succeeds even when the provider is unavailable.
    const page = new URL(PAGE, origin)
    const address = await provider.endSessionUrl(session.idToken, page).catch(() => undefined)
    return reply.send({ goTo: (address ?? page).href })
  })
}

/** Browsers get an error page, programs the error object. */
function sendErrorPage(log: Logger, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.accept?.includes('text/html') !== true) throw error
  const refusal = apiErrorOf(error)
  if (refusal.status >= 500) log.error({ requestId: request.id, err: refusal.cause ?? refusal }, refusal.message)
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds)
  return refusalPage(reply.status(refusal.status), refusal.message)
}

function logoutBodyOf({ body }: FastifyRequest): z.infer<typeof LogoutBody> {
  const read = LogoutBody.safeParse(body ?? {})
  if (read.success) return read.data
  throw new ApiError('invalid_request', 'everywhere must be true or false')
}

/** Throws `invalid_request` for an address on another site. */
function localPath(text: string, origin: string): string {
  const address = text.startsWith('/') && URL.canParse(text, origin) ? new URL(text, origin) : undefined
  // Returns the absolute address, because a path such as `/.//other.example` would lead to another site.
  if (address?.origin === origin && address.href.length <= MAX_RETURN_TO_LENGTH) return address.href
  const problem = `must be a path of this service, such as /app/account, of at most ${MAX_RETURN_TO_LENGTH} characters`
  throw new ApiError('invalid_request', `return_to ${problem}`, {
    details: { problems: [{ parameter: 'return_to', problem }] },
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccountKeys, type AccountKeysDeps } from '../access/account-keys.ts'
import { LocalLimit } from '../access/local-limit.ts'
import { rateLimited } from '../access/refusals.ts'
import type { Sessions } from '../access/sessions.ts'
import { ApiError } from '../domain/api-error.ts'
import { requireUse } from '../domain/tier.ts'
import type { Endpoint, SignedInUser } from '../endpoints/endpoint.ts'
import type { Stores } from '../endpoints/stores.ts'
import { ask, headerOf, inTime, searchOf } from './answer-request.ts'
import { readInput } from './read-input.ts'
import { requireSameSite } from './same-site.ts'
import { sessionToken } from './session-cookies.ts'

export interface SessionDeps {
  readonly sessions: Sessions
  readonly keyManager: AccountKeysDeps
  /** Of our pages. */
  readonly origin: string
}

export interface SessionRoutesOptions {
  /** Undefined where nobody can sign in. */
  readonly signedIn: SessionDeps | undefined
  readonly stores: Stores
  readonly nowMs: () => number
}

/** People, not programs: more than this is a page gone wild. */
const RATE = { rpm: 120, burst: 120 }

/** Endpoints of a browser in which somebody is signed in. Keys are not looked at. */
export function addSessionRoutes(
  app: FastifyInstance,
  endpoints: readonly { readonly endpoint: Endpoint; readonly url: string }[],
  options: SessionRoutesOptions,
): void {
  const members = new WeakMap<FastifyRequest, SignedInUser>()
  const limit = new LocalLimit({ nowMs: () => performance.now() })
  for (const { endpoint, url } of endpoints) {
    app.route({
      method: endpoint.method,
      url,
      async onRequest(request) {
        const { signedIn } = options
        if (signedIn === undefined) throw signInNotConfigured()
        const { accountId } = await signedIn.sessions.require(sessionToken(request))
        if (endpoint.method !== 'GET') requireSameSite(request, signedIn.origin)
        const verdict = limit.take(accountId, RATE)
        if (!verdict.isAllowed) throw rateLimited(RATE.rpm, verdict)
        const account = await options.stores.accounts.find(accountId)
        if (account === undefined) throw new ApiError('unauthenticated', 'This account is gone.')
        members.set(request, { accountId, tier: account.tier })
      },
      handler: (request, reply) => answerMember(options, endpoint, members.get(request), request, reply),
    })
  }
}

async function answerMember(
  { signedIn, stores, nowMs }: SessionRoutesOptions,
  endpoint: Endpoint,
  user: SignedInUser | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (signedIn === undefined || user === undefined) throw signInNotConfigured()
  const { body, params } = request
  const input = readInput(endpoint, { params, search: searchOf(request.url), body })
  if (input.format !== 'json') requireUse(user.tier, 'tabular_formats')
  const { answer, rendered } = await inTime(request, (signal) =>
    ask(
      endpoint,
      input,
      {
        params: input.params,
        query: input.query,
        body: input.body,
        caller: undefined,
        user,
        keyManager: new AccountKeys(signedIn.keyManager, user.accountId),
        stores,
        nowMs: nowMs(),
        idempotencyKey: headerOf(request, 'idempotency-key'),
        signal,
        require: (capability) => requireUse(user.tier, capability),
      },
      request,
      reply,
    ),
  )
  reply.header('cache-control', 'no-store')
  if (answer.emptyReason !== undefined) reply.header('x-empty-reason', answer.emptyReason)
  const status = answer.status ?? endpoint.status ?? 200
  if (status === 204) return reply.status(204).send()
  return reply.headers(rendered.headers).type(rendered.type).status(status).send(rendered.content)
}

export function signInNotConfigured(): ApiError {
  return new ApiError('sign_in_not_configured', 'Nobody can sign in here: this service has no identity provider.')
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../domain/api-error.ts'
import { SESSION_COOKIE } from './session-cookies.ts'

export interface HttpsOptions {
  /** Where to redirect to. The host of a request is never used, because anyone can send any host. */
  readonly origin: string | undefined
  /** Path prefixes that are answered over plain HTTP too. */
  readonly exempt: readonly string[]
}

const HEADERS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

const LEAKED = {
  key: 'The key was sent over plain HTTP, where others can read it. Revoke it, create a new key and use HTTPS.',
  session: 'The session cookie was sent over plain HTTP, where others can read it. Sign out, and use HTTPS.',
} as const

/**
 * Refuses plain HTTP. Requests to read something are redirected; a request with a key, a session or a body has
 * already sent it in plain text, so a redirect would only hide the mistake.
 */
export function addHttpsRequirement(app: FastifyInstance, { origin, exempt }: HttpsOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS)
    if (request.protocol === 'https') return
    const secret = secretIn(request)
    if (secret !== undefined) throw new ApiError('https_required', LEAKED[secret])
    if (exempt.some((path) => isUnder(path, request.url))) return
    if ((request.method !== 'GET' && request.method !== 'HEAD') || origin === undefined) {
      throw new ApiError('https_required', 'This service accepts only HTTPS. Send the request to its https:// address.')
    }
    return redirect(reply, `${origin}${request.url}`)
  })
}

function redirect(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(address, 308)
}

function secretIn({ headers }: FastifyRequest): keyof typeof LEAKED | undefined {
  if (headers['x-api-key'] !== undefined || headers.authorization !== undefined) return 'key'
  return headers.cookie?.includes(SESSION_COOKIE) ? 'session' : undefined
}

function isUnder(path: string, url: string): boolean {
  const [requested] = url.split('?')
  return requested === path || requested?.startsWith(`${path}/`) === true
}

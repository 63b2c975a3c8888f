import type { FastifyReply, FastifyRequest } from 'fastify'
import { PENDING_MS } from '../access/sessions.ts'

/** Browsers accept the `__Host-` prefix only over HTTPS, without a domain and for the whole host. */
export const SESSION_COOKIE = '__Host-bookreel'
const PENDING_COOKIE = '__Host-bookreel-sign-in'
/** `lax`, because the redirect from the identity provider comes from another site. */
const RULES = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const

export function sessionToken(request: FastifyRequest): string | undefined {
  return request.cookies[SESSION_COOKIE]
}

export function setSession(reply: FastifyReply, token: string): void {
  reply.setCookie(SESSION_COOKIE, token, RULES)
}

export function clearSession(reply: FastifyReply): void {
  reply.clearCookie(SESSION_COOKIE, RULES)
}

export function pendingToken(request: FastifyRequest): string | undefined {
  return request.cookies[PENDING_COOKIE]
}

export function setPending(reply: FastifyReply, token: string): void {
  reply.setCookie(PENDING_COOKIE, token, { ...RULES, maxAge: PENDING_MS / 1_000 })
}

export function clearPending(reply: FastifyReply): void {
  reply.clearCookie(PENDING_COOKIE, RULES)
}

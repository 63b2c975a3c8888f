import type { IncomingHttpHeaders } from 'node:http'
import { emptyKey, unsupportedScheme } from '../access/refusals.ts'
import type { ApiError } from '../domain/api-error.ts'

/** A key as it was sent, or why the headers contain none. */
export type PresentedKey = string | ApiError | undefined

/** A word that can be shown; a key that was sent without a scheme is longer. */
const SCHEME = /^([A-Za-z][A-Za-z0-9-]{0,19}) /

/**
 * `X-API-Key` decides when it is sent, because proxies and other tools may add an `Authorization` of their own. Without
 * it, `Authorization` must be a Bearer token.
 */
export function presentedKey(headers: IncomingHttpHeaders): PresentedKey {
  const { 'x-api-key': own, authorization } = headers
  if (own !== undefined && own !== '') return String(own)
  if (authorization === undefined) return own === '' ? emptyKey('X-API-Key') : undefined
  if (!/^bearer(?: |$)/i.test(authorization)) return unsupportedScheme(SCHEME.exec(authorization)?.[1])
  return authorization.slice('bearer'.length).trim() || emptyKey('Authorization')
}

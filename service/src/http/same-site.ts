import type { FastifyRequest } from 'fastify'
import { ApiError } from '../domain/api-error.ts'

const REQUESTED_WITH = 'bookreel'

/**
 * For reading in the name of a signed-in person: a link, an image or a form of another site can make the browser send
 * our cookies, but can't add a header.
 */
export function requireOwnPage({ headers }: FastifyRequest, origin: string | undefined): void {
  const { origin: from, 'sec-fetch-site': relation } = headers
  const isOwn = (from === undefined || from === origin) && (relation === undefined || relation === 'same-origin')
  if (isOwn && headers['x-requested-with'] === REQUESTED_WITH) return
  throw new ApiError(
    'cross_site_refused',
    `Only pages of ${origin} may send this request, with X-Requested-With: ${REQUESTED_WITH}.`,
  )
}

/**
 * Protects against cross-site request forgery: a page of another site can make the browser send our cookies, but it
 * can't forge `Origin`, nor add a header without a CORS preflight.
 */
export function requireSameSite({ headers }: FastifyRequest, origin: string | undefined): void {
  const { origin: from, 'sec-fetch-site': relation } = headers
  const isSameSite = from === origin && (relation === undefined || relation === 'same-origin')
  if (isSameSite && headers['x-requested-with'] === REQUESTED_WITH) return
  throw new ApiError(
    'cross_site_refused',
    `Cross-site requests are refused. Send Origin: ${origin} and X-Requested-With: ${REQUESTED_WITH}.`,
  )
}

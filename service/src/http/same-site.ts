import type { FastifyRequest } from 'fastify'
import { ApiError } from '../domain/api-error.ts'

const OUR_PAGES = 'bookreel'

/**
 * A page of somebody else can make a browser send its cookies, but it can't choose the origin it is told with, nor
 * add a header without asking first; and we allow it to no other origin.
 */
export function requireSameSite({ headers }: FastifyRequest, origin: string | undefined): void {
  const { origin: from, 'sec-fetch-site': relation } = headers
  const isOurs = from === origin && (relation === undefined || relation === 'same-origin')
  if (isOurs && headers['x-requested-with'] === OUR_PAGES) return
  throw new ApiError('cross_site_refused', `Send Origin: ${origin} and X-Requested-With: ${OUR_PAGES}.`)
}

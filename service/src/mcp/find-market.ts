import type { RequestContext } from '../endpoints/endpoint.ts'
import { momentMs } from '../endpoints/schemas/moment.ts'
import { isConditionId, oneVenue } from '../endpoints/schemas/parameters.ts'
import { marketNotFound } from '../endpoints/shared/find-market.ts'
import { matchSlug, slugNotFound } from '../endpoints/shared/match-slug.ts'
import type { Texts } from './paging.ts'

export interface FoundMarket {
  readonly market_id: string
  readonly venue: string
  readonly slug: string
  readonly matched_by: string
}

/**
 * Finds the market that the argument `market` names by id, slug or series, among those of `venue`; a series is its window
 * at `timestamp`, or now.
 */
export async function findMarketOf(
  { stores, nowMs }: RequestContext,
  { market: requested = '', venue, timestamp }: Texts,
): Promise<FoundMarket> {
  const options = { venue: oneVenue(venue), seriesAtMs: momentMs(timestamp ?? '') }
  const match = await matchSlug(stores, requested, nowMs, options)
  if (match.market === undefined) {
    throw isConditionId(requested.toLowerCase()) ? marketNotFound(requested) : slugNotFound(requested, match.candidates)
  }
  const { id, venue: found, slug } = match.market
  return { market_id: id, venue: found, slug, matched_by: match.matchedBy }
}

/** Otherwise the answer says which market was found. */
export function isNamedById(found: FoundMarket | undefined): boolean {
  return found === undefined || found.matched_by === 'condition_id'
}

import type { RequestContext } from '../endpoints/endpoint.ts'
import { momentMs } from '../endpoints/schemas/moment.ts'
import { isConditionId } from '../endpoints/schemas/parameters.ts'
import { marketNotFound } from '../endpoints/shared/find-market.ts'
import { matchSlug, slugNotFound } from '../endpoints/shared/match-slug.ts'
import type { Texts } from './paging.ts'

export interface FoundMarket {
  readonly market_id: string
  readonly slug: string
  readonly matched_by: string
}

/** Finds the market that the argument `market` names by id, slug or series; a series is its window at `timestamp`, or now. */
export async function findMarketOf(
  { stores, nowMs }: RequestContext,
  { market: requested = '', timestamp }: Texts,
): Promise<FoundMarket> {
  const match = await matchSlug(stores, requested, nowMs, { seriesAtMs: momentMs(timestamp ?? '') })
  if (match.market === undefined) {
    throw isConditionId(requested.toLowerCase()) ? marketNotFound(requested) : slugNotFound(requested, match.candidates)
  }
  return { market_id: match.market.id, slug: match.market.slug, matched_by: match.matchedBy }
}

/** Otherwise the answer says which market was found. */
export function isNamedById(found: FoundMarket | undefined): boolean {
  return found === undefined || found.matched_by === 'condition_id'
}

import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { normaliseSlug, type SlugCandidate, seriesIn } from '../../domain/slug.ts'
import type { SlugAnswer } from '../../domain/slug-index.ts'
import { instantOf } from '../schemas/instant.ts'
import { isConditionId } from '../schemas/parameters.ts'
import { type MarketSources, marketById, marketBySlug, readyCatalogue, windowAt } from './find-market.ts'
import type { FoundMarket } from './found-market.ts'

export const SlugParams = z.object({
  slug: z
    .string()
    .describe(
      'exact slug, its beginning, a similar slug, or a condition id; `btc-updown-5m` is the current window; with a time after it (epoch seconds or milliseconds) the window at that time, or the current window when none is recorded',
    )
    .meta({ examples: ['btc-updown-5m'] }),
})

export const MatchedBy = z
  .enum(['exact', 'window_at_time', 'current_window', 'prefix', 'trigram', 'condition_id'])
  .describe(
    'how the market was found. window_at_time: it contains the time in the slug. current_window: the slug names a coin and a length, and no time that a recorded window contains. trigram: by similarity',
  )
export type MatchedBy = z.infer<typeof MatchedBy>

export const slugMembers = {
  matched_by: MatchedBy,
  requested_slug: z
    .string()
    .optional()
    .describe('the slug of the request, when it is not the exact slug of the market'),
}

export type SlugMatch =
  | { readonly market: FoundMarket; readonly matchedBy: MatchedBy }
  | { readonly market: undefined; readonly candidates: readonly SlugCandidate[] }

interface MatchOptions {
  /** Only markets of this venue; undefined for every venue. */
  readonly venue: string | undefined
  /** A series without a time means its window at this time, and no other. */
  readonly seriesAtMs?: number | undefined
}

/**
 * Finds the market of a slug: the exact slug, then the recorded window at the time in the slug, then the current window
 * of the series; last a prefix or a similar slug of a market that has not ended. What the catalogue knows by exact slug
 * or window needs no database. A condition id finds the market of any venue.
 */
export async function matchSlug(
  sources: MarketSources,
  requested: string,
  nowMs: number,
  { venue, seriesAtMs }: MatchOptions,
): Promise<SlugMatch> {
  const catalogue = readyCatalogue(sources)
  if (isConditionId(requested.toLowerCase())) {
    const market = await marketById(sources, requested, nowMs)
    return market ? { market, matchedBy: 'condition_id' } : { market, candidates: [] }
  }
  const isThen = seriesAtMs !== undefined && seriesIn(normaliseSlug(requested)) !== undefined
  const slug = isThen ? `${normaliseSlug(requested)}-${seriesAtMs}` : requested
  const found = catalogue.resolveSlug(slug, nowMs, venue)
  const present = found.matchedBy && catalogue.byId(found.candidate.marketId, nowMs)
  if (present && found.window === undefined && IN_CATALOGUE.includes(found.matchedBy)) {
    return { market: present, matchedBy: found.matchedBy }
  }
  const { window } = found
  // A window that lies ahead is in the catalogue or not listed yet, so no store of ended markets has it.
  const isAhead = window?.atMs !== undefined && window.atMs > nowMs
  const exact = isAhead ? undefined : await exactSlug(sources, slug, nowMs, venue)
  if (exact) return { market: exact, matchedBy: 'exact' }
  const past =
    window?.atMs === undefined || isAhead
      ? undefined
      : await windowAt(sources, { ...window, venue }, window.atMs, nowMs)
  if (past) return { market: past, matchedBy: 'window_at_time' }
  if (present && !isThen) return { market: present, matchedBy: found.matchedBy }
  return { market: undefined, candidates: found.matchedBy ? [found.candidate] : found.candidates }
}

/** A match by one of these rules is not improved by markets that have ended. */
const IN_CATALOGUE: readonly SlugAnswer['matchedBy'][] = ['exact', 'window_at_time', 'current_window']

export function matchMembers(requested: string, matchedBy: MatchedBy) {
  return { matched_by: matchedBy, ...(matchedBy !== 'exact' && { requested_slug: requested }) }
}

export function slugNotFound(requested: string, candidates: readonly SlugCandidate[]): ApiError {
  return new ApiError(
    'slug_not_found',
    `No market matches this slug${candidates.length === 0 ? '' : '; details.candidates has similar ones'}.`,
    {
      details: {
        requested_slug: requested,
        candidates: candidates.map(({ marketId, venue, slug, endsAtMs }) => ({
          market_id: marketId,
          venue,
          slug,
          end_date: instantOf(endsAtMs),
        })),
      },
    },
  )
}

async function exactSlug(
  sources: MarketSources,
  requested: string,
  nowMs: number,
  venue: string | undefined,
): Promise<FoundMarket | undefined> {
  const plain = normaliseSlug(requested)
  const exact = await marketBySlug(sources, requested, nowMs, venue)
  return exact ?? (plain === requested ? undefined : await marketBySlug(sources, plain, nowMs, venue))
}

import { z } from 'zod'
import { ApiError } from '../../domain/api-error.ts'
import { normaliseSlug, type SlugCandidate } from '../../domain/slug.ts'
import type { Markets } from '../../stores/markets/markets.ts'
import type { StoredMarket } from '../../stores/markets/postgres-market-rows.ts'
import { instantOf } from '../schemas/instant.ts'
import { isConditionId } from '../schemas/parameters.ts'
import type { Stores } from '../stores.ts'
import { readyCatalogue } from './find-market.ts'

export const SlugParams = z.object({
  slug: z
    .string()
    .describe(
      'exact slug, its beginning, a similar slug, or a condition id; `btc-updown-5m` is the current window, and with a time after it the window at that time',
    )
    .meta({ examples: ['btc-updown-5m'] }),
})

export const MatchedBy = z
  .enum(['exact', 'updown', 'prefix', 'trigram', 'condition_id'])
  .describe('how the market was found; updown: by coin, length and time of the window')
export type MatchedBy = z.infer<typeof MatchedBy>

export const slugMembers = {
  matched_by: MatchedBy,
  requested_slug: z
    .string()
    .optional()
    .describe('the slug of the request, when it is not the exact slug of the market'),
}

export type SlugMatch =
  | { readonly market: StoredMarket; readonly matchedBy: MatchedBy }
  | { readonly market: undefined; readonly candidates: readonly SlugCandidate[] }

/**
 * Finds the market of a slug. The exact slug of an ended market comes before a similar slug of a live one, and a window
 * is found by its time whether it has ended or not. Exact slugs and current windows need no database.
 */
export async function matchSlug(stores: Stores, requested: string, nowMs: number): Promise<SlugMatch> {
  const { markets } = stores
  const catalogue = readyCatalogue(stores)
  const id = requested.toLowerCase()
  if (isConditionId(id)) {
    const market = catalogue.byId(id, nowMs) ?? (await markets.byId(id, nowMs))
    return market ? { market, matchedBy: 'condition_id' } : { market, candidates: [] }
  }
  const found = catalogue.resolveSlug(requested, nowMs)
  const present = found.matchedBy && catalogue.byId(found.candidate.marketId, nowMs)
  if (present && (found.matchedBy === 'exact' || found.matchedBy === 'updown')) {
    return { market: present, matchedBy: found.matchedBy }
  }
  const past = await exactSlug(markets, requested, nowMs)
  if (past) return { market: past, matchedBy: 'exact' }
  if (found.matchedBy) {
    return present ? { market: present, matchedBy: found.matchedBy } : { market: undefined, candidates: [] }
  }
  const { window, candidates } = found
  const closed =
    window?.atMs === undefined ? undefined : await markets.windowAt(window.coin, window.timeframe, window.atMs, nowMs)
  return closed ? { market: closed, matchedBy: 'updown' } : { market: undefined, candidates }
}

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
        candidates: candidates.map(({ marketId, slug, endsAtMs }) => ({
          market_id: marketId,
          slug,
          end_date: instantOf(endsAtMs),
        })),
      },
    },
  )
}

async function exactSlug(markets: Markets, requested: string, nowMs: number): Promise<StoredMarket | undefined> {
  const plain = normaliseSlug(requested)
  const exact = await markets.bySlug(requested, nowMs)
  return exact ?? (plain === requested ? undefined : await markets.bySlug(plain, nowMs))
}

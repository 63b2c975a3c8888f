import type { z } from 'zod'
import { CATEGORIES, type Category } from '../../domain/market.ts'
import { mayUse } from '../../domain/tier.ts'
import type { MarketFilter } from '../../stores/markets/markets.ts'
import type { EndpointRequest } from '../endpoint.ts'
import {
  CategoryFilter,
  CoinFilter,
  oneVenue,
  SubcategoryFilter,
  TimeframeFilter,
  VenueFilter,
} from '../schemas/parameters.ts'

/** Query parameters of every list of markets. */
export const marketFilters = {
  category: CategoryFilter.optional(),
  subcategory: SubcategoryFilter.optional(),
  crypto: CoinFilter.optional(),
  timeframe: TimeframeFilter.optional(),
  venue: VenueFilter,
}

type FilterQuery = { [Name in keyof typeof marketFilters]?: z.output<(typeof marketFilters)[Name]> | undefined }

/** The requested markets, without those that the tier does not include. */
export interface RequestedMarkets {
  /** Undefined for the category `exchange`, which no market has. */
  readonly filter: MarketFilter | undefined
  /** Categories that the tier does not include, when the request names no category. */
  readonly leftOut: readonly Category[]
  /** For headers. */
  readonly aside: Readonly<Record<string, string | undefined>>
}

/** A category that the request names must be in the tier; without one, categories outside the tier are left out. */
export function wantedMarkets({
  query,
  caller,
  require,
}: Pick<EndpointRequest<unknown, FilterQuery, unknown>, 'query' | 'caller' | 'require'>): RequestedMarkets {
  const { category, subcategory, crypto, timeframe } = query
  const venue = oneVenue(query.venue)
  const filters = { category, subcategory, crypto, timeframe, venue: query.venue }
  if (category === 'exchange') return { filter: undefined, leftOut: [], aside: filters }
  const named = category ?? (crypto === undefined ? undefined : 'crypto')
  if (named !== undefined) require({ category: named })
  const allowed = CATEGORIES.filter((each) => mayUse(caller?.tier ?? 'free', { category: each }))
  const leftOut = named === undefined ? CATEGORIES.filter((each) => !allowed.includes(each)) : []
  return {
    filter: {
      ...(venue !== undefined && { venue }),
      ...(category !== undefined && { category }),
      ...(leftOut.length > 0 && { categories: allowed }),
      ...(subcategory !== undefined && { subcategory }),
      ...(crypto !== undefined && { coin: crypto }),
      ...(timeframe !== undefined && { timeframe }),
    },
    leftOut,
    aside: { ...filters, tierScopeFiltered: leftOut.length === 0 ? undefined : leftOut.join(',') },
  }
}

/** Includes markets outside the tier, to find out whether a list is empty because of the tier. */
export function withoutScope({ categories: _categories, ...filter }: MarketFilter): MarketFilter {
  return filter
}

import type { z } from 'zod'
import { CATEGORIES, type Category } from '../../domain/market.ts'
import { mayUse } from '../../domain/tier.ts'
import type { MarketFilter } from '../../stores/markets/markets.ts'
import type { EndpointRequest } from '../endpoint.ts'
import { CategoryFilter, CoinFilter, SubcategoryFilter, TimeframeFilter } from '../schemas/parameters.ts'

/** Query parameters that every list of markets takes. */
export const marketFilters = {
  category: CategoryFilter.optional(),
  subcategory: SubcategoryFilter.optional(),
  crypto: CoinFilter.optional(),
  timeframe: TimeframeFilter.optional(),
}

type AskedFilters = { [Name in keyof typeof marketFilters]?: z.output<(typeof marketFilters)[Name]> | undefined }

/** Which markets were asked for, and which of them the tier hides. */
export interface Wanted {
  /** Undefined when no market can be meant: none is of the category `exchange`. */
  readonly filter: MarketFilter | undefined
  /** Categories outside the tier, left out because none was asked for by name. */
  readonly leftOut: readonly Category[]
  /** For headers. */
  readonly aside: Readonly<Record<string, string | undefined>>
}

/** A category that is asked for by name must be in the tier; without a name, those outside it are left out. */
export function wantedMarkets({
  query,
  caller,
  require,
}: Pick<EndpointRequest<unknown, AskedFilters, unknown>, 'query' | 'caller' | 'require'>): Wanted {
  const { category, subcategory, crypto, timeframe } = query
  const asked = { category, subcategory, crypto, timeframe }
  if (category === 'exchange') return { filter: undefined, leftOut: [], aside: asked }
  const named = category ?? (crypto === undefined ? undefined : 'crypto')
  if (named !== undefined) require({ category: named })
  const allowed = CATEGORIES.filter((each) => mayUse(caller?.tier ?? 'free', { category: each }))
  const leftOut = named === undefined ? CATEGORIES.filter((each) => !allowed.includes(each)) : []
  return {
    filter: {
      ...(category !== undefined && { category }),
      ...(leftOut.length > 0 && { categories: allowed }),
      ...(subcategory !== undefined && { subcategory }),
      ...(crypto !== undefined && { coin: crypto }),
      ...(timeframe !== undefined && { timeframe }),
    },
    leftOut,
    aside: { ...asked, tierScopeFiltered: leftOut.length === 0 ? undefined : leftOut.join(',') },
  }
}

/** The same markets, those outside the tier too: whether there are any tells why a list is empty. */
export function withoutScope({ categories: _categories, ...filter }: MarketFilter): MarketFilter {
  return filter
}

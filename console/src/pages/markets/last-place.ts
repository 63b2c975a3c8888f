import type { MarketsSearch } from './markets-search.ts'

/** Where the user was in the catalogue, for the way back through the navigation. */
interface LastPlace {
  readonly search: MarketsSearch
  /** The market that was opened last. */
  readonly market?: string | undefined
}

let place: LastPlace = { search: {} }

export function lastPlace(): LastPlace {
  return place
}

/** Another view has other rows, so the market of the former one is forgotten. */
export function rememberSearch(search: MarketsSearch): void {
  if (JSON.stringify(search) !== JSON.stringify(place.search)) place = { search }
}

export function rememberMarket(market: string): void {
  place = { ...place, market }
}

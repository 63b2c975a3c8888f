import { type CalendarPlace, placeOf } from '../../views/calendar/calendar-place.ts'

export const COVERAGE_VENUES = ['polymarket', 'kalshi'] as const
export const COVERAGE_CATEGORIES = ['crypto', 'sports', 'economics', 'weather', 'social', 'equities'] as const

/** The view of the page, as its address has it. */
export interface CoverageSearch extends CalendarPlace {
  readonly venue?: (typeof COVERAGE_VENUES)[number]
  readonly category?: (typeof COVERAGE_CATEGORIES)[number]
}

/** Reads the view from the address; a wrong value is left out. */
export function readCoverageSearch(search: Record<string, unknown>): CoverageSearch {
  const venue = COVERAGE_VENUES.find((each) => each === search.venue)
  const category = COVERAGE_CATEGORIES.find((each) => each === search.category)
  return {
    ...(venue !== undefined && { venue }),
    ...(category !== undefined && { category }),
    ...placeOf(search),
  }
}

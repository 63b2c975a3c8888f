export const USAGE_DAYS = [7, 30, 92] as const
export const USAGE_GROUPS = ['key', 'endpoint'] as const
export const USAGE_FIGURES = ['calls', 'credits'] as const

export interface UsageSearch {
  readonly days?: (typeof USAGE_DAYS)[number]
  readonly by?: (typeof USAGE_GROUPS)[number]
  readonly of?: (typeof USAGE_FIGURES)[number]
}

/** Reads the view from the address; a wrong value becomes the default. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const days = USAGE_DAYS.find((each) => each === search.days)
  const by = USAGE_GROUPS.find((each) => each === search.by)
  const of = USAGE_FIGURES.find((each) => each === search.of)
  return { ...(days !== undefined && { days }), ...(by !== undefined && { by }), ...(of !== undefined && { of }) }
}

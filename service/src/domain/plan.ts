import type { Category } from './market.ts'

/** How often the markets of a category are sampled and searched. */
export interface CategoryPlan {
  id: string
  category: Category
  displayName: string
  captureIntervalMs: number
  refreshIntervalMs: number
}

/** Bounds of a capture interval. */
export const CAPTURE_INTERVAL_MS = { min: 100, max: 3_000 } as const

/** The plans with their default intervals. */
export const CATEGORY_PLANS: readonly CategoryPlan[] = [
  { id: 'crypto', category: 'crypto', displayName: 'Crypto', captureIntervalMs: 250, refreshIntervalMs: 15_000 },
  { id: 'sports', category: 'sports', displayName: 'Sports', captureIntervalMs: 500, refreshIntervalMs: 60_000 },
  {
    id: 'equities',
    category: 'equities',
    displayName: 'Equities',
    captureIntervalMs: 1_000,
    refreshIntervalMs: 60_000,
  },
  {
    id: 'economics',
    category: 'economics',
    displayName: 'Economics',
    captureIntervalMs: 2_000,
    refreshIntervalMs: 300_000,
  },
  { id: 'social', category: 'social', displayName: 'Social', captureIntervalMs: 2_000, refreshIntervalMs: 300_000 },
  { id: 'weather', category: 'weather', displayName: 'Weather', captureIntervalMs: 3_000, refreshIntervalMs: 120_000 },
]

export const PERP_INTERVAL_MS = 500

/** An older book is not live. */
export const LIVE_FOR_MS = 60_000

export type CaptureIntervals = Readonly<Record<`CAPTURE_INTERVAL_MS_${Uppercase<Category>}`, number>>

/** The plans with the intervals of the settings. They apply only to new markets: each market keeps its first interval. */
export function plansWith(settings: CaptureIntervals): CategoryPlan[] {
  return CATEGORY_PLANS.map((plan) => ({
    ...plan,
    captureIntervalMs: settings[`CAPTURE_INTERVAL_MS_${plan.category.toUpperCase() as Uppercase<Category>}`],
  }))
}

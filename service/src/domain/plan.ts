import type { Category } from './market.ts'

/** How often the markets of a category are sampled and searched. */
export interface CategoryPlan {
  id: string
  category: Category
  displayName: string
  captureIntervalMs: number
  refreshIntervalMs: number
}

/** A change applies only to new markets: each market keeps the interval it was first recorded with. */
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

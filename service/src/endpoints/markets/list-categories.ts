import { z } from 'zod'
import { CATEGORIES } from '../../domain/market.ts'
import { endpoint } from '../endpoint.ts'
import { oneVenue, VenueFilter } from '../schemas/parameters.ts'

const Category = z
  .object({
    id: z.string().describe('id of the category plan'),
    category: z.enum(CATEGORIES),
    displayName: z.string(),
    activeMarkets: z.int().describe('markets of this plan that are live or upcoming'),
    captureIntervalMs: z
      .int()
      .describe('milliseconds between two snapshots of a new market; a recorded market keeps its interval'),
    refreshIntervalMs: z.int().describe('time between two searches for new markets'),
  })
  .meta({ id: 'Category' })

export const listCategories = endpoint({
  method: 'GET',
  path: '/v1/categories',
  name: 'list_categories',
  group: 'Markets',
  summary: 'List the recorded categories with their sampling interval and number of markets',
  access: { by: 'key', scope: 'live' },
  query: z.object({
    venue: VenueFilter.describe('`activeMarkets` counts markets of this venue; `all` for every venue'),
  }),
  reply: z.array(Category),
  errors: [],

  async handle({ query, stores: { catalogue }, nowMs }) {
    const counts = new Map<string, number>()
    const listed = catalogue.list({ venue: oneVenue(query.venue) }, nowMs)
    for (const { planId } of listed) counts.set(planId, (counts.get(planId) ?? 0) + 1)
    return { body: catalogue.plans.map((plan) => ({ ...plan, activeMarkets: counts.get(plan.id) ?? 0 })) }
  },
})

import { z } from 'zod'
import { totalsOf } from '../../domain/heartbeat.ts'
import { CATEGORIES } from '../../domain/market.ts'
import type { CategoryCount } from '../../stores/platform/platform-stats.ts'
import { endpoint } from '../endpoint.ts'
import { Instant, instantOf } from '../schemas/instant.ts'

const CategoryStats = z
  .object({
    category: z.enum(CATEGORIES),
    markets: z.int().describe('ever recorded'),
    active_markets: z.int().describe('live or upcoming now'),
    snapshots: z.int().describe('token snapshots, two per market and slot'),
    first_snapshot: Instant.nullable(),
    latest_snapshot: Instant.nullable(),
  })
  .meta({ id: 'CategoryStats' })

export const getStats = endpoint({
  method: 'GET',
  path: '/v1/stats',
  name: 'get_stats',
  group: 'System',
  summary: 'Get counts of recorded data by category, and counters of the pipeline',
  access: { by: 'key', scope: 'live' },
  reply: z
    .object({
      as_of: Instant.describe('time of the counts, up to some seconds ago'),
      total_snapshots: z.int(),
      total_markets: z.int(),
      active_markets: z.int(),
      categories: z.array(CategoryStats),
      exchange: z.object({ snapshots_last_5min: z.int(), latest_snapshot: Instant.nullable() }),
      pipeline: z
        .record(z.string(), z.number())
        .describe(
          'counters summed over all running processes, each since the start of its process; empty when no process reports',
        ),
    })
    .meta({ id: 'Stats' }),
  errors: [],
  table: {
    columns: Object.keys(CategoryStats.shape),
    rows: ({ categories }) => categories,
    inRows: ['categories'],
  },

  async handle({ stores: { platform, catalogue, heartbeats }, nowMs }) {
    const { categories: counts, marketsByCategory, lateExchange, madeAtMs } = await platform.read(nowMs)
    const active = Map.groupBy(catalogue.list({}, nowMs), ({ category }) => category)
    const categories = CATEGORIES.map((category) => ({
      category,
      markets: marketsByCategory[category] ?? 0,
      active_markets: active.get(category)?.length ?? 0,
      ...recordedOf(counts.find((each) => each.category === category)),
    }))
    const { snapshots, latestAtMs } = lateExchange
    const counters = Object.entries(totalsOf(heartbeats.current(nowMs), 'counter'))
    return {
      body: {
        as_of: instantOf(madeAtMs),
        total_snapshots: counts.reduce((sum, each) => sum + each.snapshots, 0),
        total_markets: Object.values(marketsByCategory).reduce((sum, count) => sum + count, 0),
        active_markets: categories.reduce((sum, each) => sum + each.active_markets, 0),
        categories,
        exchange: {
          snapshots_last_5min: snapshots,
          latest_snapshot: latestAtMs === undefined ? null : instantOf(latestAtMs),
        },
        pipeline: Object.fromEntries(
          counters.map(([name, readings]) => [name, Object.values(readings).reduce((sum, value) => sum + value, 0)]),
        ),
      },
    }
  },
})

function recordedOf(count: CategoryCount | undefined) {
  return {
    snapshots: count?.snapshots ?? 0,
    first_snapshot: count === undefined ? null : instantOf(count.firstAtMs),
    latest_snapshot: count === undefined ? null : instantOf(count.lastAtMs),
  }
}

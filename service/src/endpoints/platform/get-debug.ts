import { z } from 'zod'
import { errorTotals } from '../../domain/error-counters.ts'
import { type Heartbeat, type Totals, totalsOf } from '../../domain/heartbeat.ts'
import { noticesOf } from '../../domain/notice.ts'
import { endpoint } from '../endpoint.ts'
import { Notices } from '../schemas/notice.ts'
import { type PlanFigures as PlanFiguresOf, planFigures } from './plan-figures.ts'

const Figures = z.record(z.string(), z.record(z.string(), z.number()))

const PlanFigures = z.object({
  active_markets: z.int().describe('live or upcoming'),
  recorded_now: z.int().describe('markets with a row in the last seconds'),
  rows_per_second: z.number().describe('expected rows of these markets, from their intervals'),
})

export const getDebug = endpoint({
  method: 'GET',
  path: '/api/debug',
  name: 'get_debug',
  group: 'System',
  summary: 'Get capture rates, buffer depths and error counts by venue, plan and kind',
  description:
    'Sums over all running processes, which report once a second. The names are those of the Prometheus metrics; the inner names are label values, such as `polymarket` or `polymarket unknown_key`, or `all` for a metric without labels. A process without a report for 15 s is left out.',
  access: { by: 'key', scope: 'live' },
  reply: z
    .object({
      processes: z.record(z.string(), z.int()).describe('number of processes per role'),
      rates: Figures.describe('per second'),
      depths: Figures.describe('current values'),
      errors: Figures.describe('since the process started'),
      plans: z.record(z.string(), PlanFigures).describe('by category plan; empty while the cache is unavailable'),
      notices: Notices,
    })
    .meta({ id: 'Debug' }),
  errors: [],

  async handle({ stores, nowMs }) {
    const heartbeats = stores.heartbeats.current(nowMs)
    return {
      body: {
        processes: processesOf(heartbeats),
        rates: addUp(stores.heartbeats.rates(nowMs)),
        depths: copyOf(totalsOf(heartbeats, 'gauge')),
        errors: errorTotals(heartbeats),
        plans: byPlan((await planFigures(stores, nowMs)) ?? []),
        notices: noticesOf(heartbeats),
      },
    }
  },
})

function processesOf(heartbeats: readonly Heartbeat[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const role of heartbeats.flatMap(({ roles }) => roles)) counts[role] = (counts[role] ?? 0) + 1
  return counts
}

function addUp(all: readonly Totals[]): Record<string, Record<string, number>> {
  const sums: Record<string, Record<string, number>> = {}
  for (const [name, readings] of all.flatMap((totals) => Object.entries(totals))) {
    sums[name] ??= {}
    const into = sums[name] as Record<string, number>
    for (const [key, value] of Object.entries(readings)) into[key] = Math.round(((into[key] ?? 0) + value) * 100) / 100
  }
  return sums
}

function copyOf(totals: Totals): Record<string, Record<string, number>> {
  return Object.fromEntries(Object.entries(totals).map(([name, readings]) => [name, { ...readings }]))
}

function byPlan(figures: readonly PlanFiguresOf[]): Record<string, z.infer<typeof PlanFigures>> {
  return Object.fromEntries(
    figures.map(({ plan, activeMarkets, recordedNow, rowsPerSecond }) => [
      plan,
      { active_markets: activeMarkets, recorded_now: recordedNow, rows_per_second: rowsPerSecond },
    ]),
  )
}

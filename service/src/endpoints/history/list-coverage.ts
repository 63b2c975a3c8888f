import { z } from 'zod'
import { type CoveragePart as CountedPart, conditionOf } from '../../domain/coverage-parts.ts'
import { addedCauses, type CoverageSum } from '../../domain/coverage-sums.ts'
import { HOUR_MS } from '../../domain/finished-hour.ts'
import { CATEGORIES } from '../../domain/market.ts'
import type { TimeRange } from '../../domain/time-range.ts'
import { MOST_WORST_MARKETS, worstMarkets } from '../../domain/worst-markets.ts'
import { BINARY_VENUES } from '../../venue-registry.ts'
import { endpoint } from '../endpoint.ts'
import { roundedShare } from '../schemas/coverage.ts'
import { CoveragePart, coveragePartOf } from '../schemas/coverage-part.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, Moment, VENUE_CHOICES } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import type { Stores } from '../stores.ts'

const DAY_MS = 24 * HOUR_MS
const PARTS = {
  hour: { partMs: HOUR_MS, maxDays: 31, defaultDays: 7 },
  day: { partMs: DAY_MS, maxDays: 400, defaultDays: 365 },
} as const

const SummedPart = z
  .object({ ...CoveragePart.shape, market_count: z.int().describe('markets that were recorded in it') })
  .meta({ id: 'SummedCoveragePart' })

const WorstMarket = z
  .object({
    market_id: z.string(),
    slug: z.string().describe('empty when the market is no longer listed'),
    question: z.string(),
    venue: VenueName,
    expected_slots: z.int(),
    missing_slots: z.int(),
    suspect_slots: z.int(),
    share: z.number().describe('stored divided by expected slots, rounded down'),
  })
  .meta({ id: 'WorstMarket' })

const AllCoverage = z
  .object({
    by: z.enum(['hour', 'day']),
    venue: z.enum(VENUE_CHOICES),
    category: z.string().nullable(),
    from: Instant.describe('start of the first hour or day of the range'),
    to: Instant.describe('not included'),
    counted_to: Instant.nullable().describe('end of the newest finished hour that is counted; null before the first'),
    parts: z.array(SummedPart).describe('by time; hours and days in which nothing was recorded are left out'),
    worst_markets: z
      .array(WorstMarket)
      .optional()
      .describe(
        `only by day with a range of one day: at most ${MOST_WORST_MARKETS} markets with the largest share of slots missing or in doubt, the worst first. Left out for a day that was counted before version 0.14.0`,
      ),
    empty_reason: z.string().optional(),
  })
  .meta({ id: 'AllCoverage' })

export const listCoverage = endpoint({
  method: 'GET',
  path: '/v1/coverage',
  name: 'list_coverage',
  group: 'History',
  summary: 'List how complete all recorded markets are, by hour or day',
  description:
    'The sums of all markets, or of those of one venue or category. Finished hours are counted within minutes of their end, and again a day later. The range has at most 31 days by hour and 400 days by day. `/v1/markets/{id}/coverage` has the same for one market, `/v1/exchange/coverage` for a perpetual future.',
  access: 'public',
  query: z
    .object({
      by: z.enum(['hour', 'day']).default('day'),
      from: Moment.optional().describe('default: 365 days before the end by day, 7 days by hour'),
      to: Moment.optional().describe('not included; default: now'),
      venue: z.enum(VENUE_CHOICES).default('all').describe('only markets of this venue'),
      category: z.enum(CATEGORIES).optional().describe('only markets of this category'),
    })
    .check(fromBeforeTo),
  reply: AllCoverage,
  errors: [],
  table: { columns: Object.keys(SummedPart.shape), rows: ({ parts }) => parts, inRows: ['parts'] },

  async handle({ query, stores, nowMs }) {
    const { by, category } = query
    const range = rangeOf(query, nowMs)
    const venue = BINARY_VENUES.find(({ id }) => id === query.venue)?.id
    const [sums, counted] = await Promise.all([
      stores.coverageReads.list({ part: by, venue, category, ...range }, nowMs),
      stores.coverageReads.counted(range, nowMs),
    ])
    const byStart = Map.groupBy(sums, ({ startMs }) => startMs)
    const parts = [...byStart].map(([startMs, of]) => {
      const countedToMs = counted.get(Math.floor(startMs / DAY_MS) * DAY_MS) ?? 0
      const isCounted = startMs + PARTS[by].partMs <= countedToMs
      return { ...coveragePartOf(sumOf(startMs, of, isCounted)), market_count: marketCount(of) }
    })
    const countedToMs = [...counted.values()].at(-1)
    const isOneDay = by === 'day' && range.toMs - range.fromMs === DAY_MS
    const hasWorst = isOneDay && sums.every(({ worst }) => worst !== undefined)
    return {
      body: {
        by,
        venue: query.venue,
        category: category ?? null,
        from: instantOf(range.fromMs),
        to: instantOf(range.toMs),
        counted_to: countedToMs === undefined ? null : instantOf(countedToMs),
        parts,
        ...(hasWorst && { worst_markets: await worstOf(stores, sums, nowMs) }),
        ...(parts.length === 0 && { empty_reason: 'outside_capture' }),
      },
      ...(parts.length === 0 && { emptyReason: 'outside_capture' as const }),
      maxAgeSeconds: 60,
    }
  },
})

interface Requested {
  readonly by: 'hour' | 'day'
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Whole hours or days, the newest ones when there are too many. */
function rangeOf({ by, from, to }: Requested, nowMs: number): TimeRange {
  const { partMs, maxDays, defaultDays } = PARTS[by]
  const toMs = Math.ceil((to ?? nowMs) / partMs) * partMs
  const fromMs = Math.floor((from ?? toMs - defaultDays * DAY_MS) / partMs) * partMs
  return { fromMs: Math.max(fromMs, toMs - maxDays * DAY_MS), toMs }
}

function sumOf(startMs: number, sums: readonly CoverageSum[], isCounted: boolean): CountedPart {
  const total = (figure: 'expected' | 'stored' | 'suspect'): number => sums.reduce((sum, each) => sum + each[figure], 0)
  const figures = { expected: total('expected'), stored: total('stored'), suspect: total('suspect') }
  const causes = sums.reduce<CountedPart['causes']>((sum, each) => addedCauses(sum, each.causes), {})
  return { startMs, ...figures, condition: isCounted ? conditionOf(figures) : 'pending', causes }
}

function marketCount(sums: readonly CoverageSum[]): number {
  return sums.reduce((sum, each) => sum + each.marketCount, 0)
}

async function worstOf(
  { markets }: Pick<Stores, 'markets'>,
  sums: readonly CoverageSum[],
  nowMs: number,
): Promise<z.infer<typeof WorstMarket>[]> {
  const worst = worstMarkets(sums.flatMap((sum) => sum.worst ?? []))
  const ids = worst.map(({ marketId }) => marketId)
  const known = new Map((await markets.byIds(ids, nowMs)).map((market) => [market.id, market]))
  return worst.map(({ marketId, expected, stored, suspect }) => {
    const market = known.get(marketId)
    return {
      market_id: marketId,
      slug: market?.slug ?? '',
      question: market?.question ?? '',
      venue: market?.venue ?? '',
      expected_slots: expected,
      missing_slots: expected - stored,
      suspect_slots: suspect,
      share: roundedShare(stored, expected),
    }
  })
}

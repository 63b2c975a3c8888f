import { z } from 'zod'
import { coverageParts } from '../../domain/coverage-parts.ts'
import { NO_SLOTS, slotsIn } from '../../domain/slot-range.ts'
import { overlapOf, type TimeRange } from '../../domain/time-range.ts'
import type { MarketDay } from '../../stores/books/market-days.ts'
import { endpoint } from '../endpoint.ts'
import { Coverage, coverageOfSlots } from '../schemas/coverage.ts'
import { CoveragePart, coveragePartOf } from '../schemas/coverage-part.ts'
import { Instant, instantOf } from '../schemas/instant.ts'
import { fromBeforeTo, MarketParams, Moment } from '../schemas/parameters.ts'
import { VenueName } from '../schemas/venue.ts'
import { findMarket } from '../shared/find-market.ts'
import { recordedDays, whyNothing, whyOutside } from '../shared/recorded-range.ts'
import { HistoryFrom, historyFrom, historyFromMember, requestedRange, wholeParts } from '../shared/requested-range.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PARTS = {
  hour: { partMs: HOUR_MS, maxDays: 31 },
  day: { partMs: DAY_MS, maxDays: 400 },
} as const

const MarketCoverage = z
  .object({
    market_id: z.string(),
    venue: VenueName,
    capture_interval_ms: z.int(),
    by: z.enum(['hour', 'day']),
    recorded_from: Instant.nullable().describe('time of the first slot with a row or a gap'),
    recorded_to: Instant.nullable().describe('end of the last slot with a row or a gap'),
    from: Instant.nullable().describe('start of the counted range: the requested range cut to what was recorded'),
    to: Instant.nullable().describe('not included'),
    history_from: HistoryFrom,
    coverage: Coverage.describe('of all parts together'),
    parts: z.array(CoveragePart).describe('by time; hours and days outside of the recorded range are left out'),
    empty_reason: z.string().optional(),
  })
  .meta({ id: 'MarketCoverage' })
type MarketCoverage = z.infer<typeof MarketCoverage>

export const getMarketCoverage = endpoint({
  method: 'GET',
  path: '/v1/markets/{id}/coverage',
  name: 'get_market_coverage',
  group: 'History',
  summary: 'Get how complete a market is, by hour or day',
  description:
    'The range is widened to whole hours or days. It has at most 31 days by hour and 400 days by day: the newest ones when it is longer. `/v1/markets/{id}/gaps` has every gap with its slots.',
  access: { by: 'key', scope: 'history' },
  params: MarketParams,
  query: z
    .object({
      by: z.enum(['hour', 'day']).default('day'),
      from: Moment.optional().describe('earliest slot, included; default: everything recorded that the tier includes'),
      to: Moment.optional().describe('latest slot, not included; default: the end of what was recorded'),
    })
    .check(fromBeforeTo),
  reply: MarketCoverage,
  errors: ['market_not_found'],
  table: { columns: Object.keys(CoveragePart.shape), rows: ({ parts }) => parts, inRows: ['parts'] },

  async handle(request) {
    const { params, query, stores, nowMs, require } = request
    const market = await findMarket(stores, params.id, nowMs)
    require({ category: market.category })
    const intervalMs = market.captureIntervalMs
    const head = { market_id: market.id, venue: market.venue, capture_interval_ms: intervalMs, by: query.by }
    const { known, days, gaps } = await recordedDays(stores, market, { nowMs, areRowsWanted: query.by === 'day' })
    if (known === undefined) {
      const reason = await whyNothing(stores, market, nowMs)
      return { body: { ...head, ...nothing(intervalMs, reason) }, emptyReason: reason }
    }
    const requested = requestedRange(request, known.toMs)
    const recorded = {
      recorded_from: instantOf(known.fromMs),
      recorded_to: instantOf(known.toMs),
      ...historyFromMember(requested, known.fromMs),
    }
    const { partMs, maxDays } = PARTS[query.by]
    const range = overlapOf(wholeParts(requested, partMs, historyFrom(request)), known)
    if (range === undefined) {
      const reason = await whyOutside(stores, requested, nowMs)
      return { body: { ...head, ...nothing(intervalMs, reason), ...recorded }, emptyReason: reason }
    }
    const newest = newestDays(range, maxDays)
    const sampled = { marketId: market.id, intervalMs, ...newest }
    const isCounted = query.by === 'day' && startsWithWholeDay(newest, days)
    const stored = isCounted ? rowsByDay(days, intervalMs) : await stores.marketDays.countByPart({ ...sampled, partMs })
    const parts = coverageParts({ partMs, intervalMs, range: newest, stored, gaps, nowMs })
    return {
      body: {
        ...head,
        ...recorded,
        from: instantOf(newest.fromMs),
        to: instantOf(newest.toMs),
        coverage: coverageOfSlots(
          slotsIn(newest, intervalMs),
          parts.reduce((sum, { stored: count }) => sum + count, 0),
          intervalMs,
        ),
        parts: parts.map(coveragePartOf),
      },
    }
  },
})

function newestDays({ fromMs, toMs }: TimeRange, maxDays: number): TimeRange {
  return { fromMs: Math.max(fromMs, (Math.ceil(toMs / DAY_MS) - maxDays) * DAY_MS), toMs }
}

/** No row of the first day is before the range. */
function startsWithWholeDay({ fromMs }: TimeRange, days: readonly MarketDay[]): boolean {
  return days.every(
    ({ day, firstSlot, intervalMs }) => firstSlot * intervalMs >= fromMs || (day + 1) * DAY_MS <= fromMs,
  )
}

function rowsByDay(days: readonly MarketDay[], intervalMs: number): Map<number, number> {
  const sampled = days.filter((day) => day.intervalMs === intervalMs)
  return new Map(sampled.map(({ day, rowCount }) => [day * DAY_MS, rowCount]))
}

type Counted = Omit<MarketCoverage, 'market_id' | 'venue' | 'capture_interval_ms' | 'by'>

function nothing(intervalMs: number, reason: string): Counted {
  return {
    recorded_from: null,
    recorded_to: null,
    from: null,
    to: null,
    coverage: coverageOfSlots(NO_SLOTS, 0, intervalMs),
    parts: [],
    empty_reason: reason,
  }
}
